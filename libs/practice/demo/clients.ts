import type { NewStream } from '#event-store/append/append-bulk';
import { newId } from '#kernel/ids';
import { activateClient, CLIENT_NUMBER, Client, type ClientState, deactivateClient } from '../clients/client';
import type { ClientEvent } from '../clients/client.events';
import { noReference } from '../records/record';
import type { Start } from './demo-start';
import { Life } from './life';
import type { Names } from './names';
import { company, person } from './people';
import type { Random } from './random';

/** A client with matters. */
export interface Acquired {
  id: string;
  /** The contact to whom invoices are sent. */
  billingContactId: string | null;
  paymentTermsDays: number | null;
}

const COMPANIES = 0.4;
const TERMS: readonly (readonly [number, number | null])[] = [
  [0.6, null],
  [0.2, 14],
  [0.15, 60],
  [0.05, 7],
];

/** Makes up the firm's clients. Each takes the next client number. */
export class Clients {
  private last: number;

  constructor(
    private readonly start: Start,
    private readonly names: Names,
    private readonly random: Random,
  ) {
    this.last = start.numbers.client;
  }

  /** The number of clients. */
  get made(): number {
    return this.last - this.start.numbers.client;
  }

  /** A person or a company that becomes an active client. */
  acquire(at: Date): { client: Acquired; streams: NewStream[] } {
    const { random, names, start } = this;
    const isCompany = random.chance(COMPANIES);
    const party = isCompany ? company(names, start.settings, at) : person(names, start.settings, at);
    const contact = isCompany && random.chance(0.4) ? person(names, start.settings, at) : undefined;
    const billingContactId = contact?.id ?? null;
    const paymentTermsDays = random.weighted(TERMS);
    const client = this.client(at, { entityId: party.id, billingContactId, paymentTermsDays });
    client.live(activateClient(client.data));
    const entities = contact ? [party.stream, contact.stream] : [party.stream];
    return {
      client: { id: client.id, billingContactId, paymentTermsDays },
      streams: [...entities, this.numbered(client)],
    };
  }

  /** A client without matters: one who only enquired, or one who was deactivated long ago. */
  bystander(at: Date): NewStream[] {
    const { random, names, start } = this;
    const { id: entityId, stream } = person(names, start.settings, at);
    const client = this.client(at, { entityId, billingContactId: null, paymentTermsDays: null });
    if (random.chance(0.4)) {
      client.live(activateClient(client.data));
      client.live(deactivateClient(client.data, 0));
    }
    return [stream, this.numbered(client)];
  }

  private client(at: Date, given: { entityId: string } & Omit<Acquired, 'id'>) {
    const clientNumber = String(++this.last);
    const terms = { defaultRateSetId: null, taxCodeId: null, minutesPerUnit: null };
    const data = { ...given, clientNumber, ...terms, ...noReference };
    const created: ClientEvent = { type: 'ClientCreated', data };
    return new Life(Client, newId('client'), at, created);
  }

  private numbered(client: Life<ClientState, ClientEvent>): NewStream {
    return client.stream({ [CLIENT_NUMBER]: this.last });
  }
}
