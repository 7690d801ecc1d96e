import { Client } from 'pg';
import { connectionTo, hangUp, SHORT_STATEMENTS } from './connection';

/** Listens to the notifications of a channel (`LISTEN`). It misses notifications while its connection is lost. */
export class Listener {
  private client?: Client;
  private connecting?: Promise<void>;

  constructor(
    private readonly url: string,
    private readonly channel: string,
    private readonly name: string,
    private readonly heard: (payload: string) => void,
  ) {}

  /** Connects. Each further call connects again if the connection was lost. */
  async connect(): Promise<void> {
    if (this.client) return;
    this.connecting ??= this.open().finally(() => {
      this.connecting = undefined;
    });
    return this.connecting;
  }

  private async open(): Promise<void> {
    const client = new Client({
      ...connectionTo(this.url),
      ...SHORT_STATEMENTS,
      application_name: this.name,
    });
    const gone = () => {
      if (this.client === client) this.client = undefined;
    };
    client.on('error', gone);
    client.on('end', gone);
    client.on('notification', ({ payload = '' }) => this.heard(payload));
    await client.connect();
    try {
      await client.query(`listen ${this.channel}`);
    } catch (error) {
      void client.end();
      throw error;
    }
    this.client = client;
  }

  async end(): Promise<void> {
    await this.connecting?.catch(() => undefined);
    if (this.client) await hangUp(this.client);
  }
}
