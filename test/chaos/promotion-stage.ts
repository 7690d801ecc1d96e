import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HookReceiver } from '../e2e/hook-receiver';
import { ApiClient, type Json } from '../support/client';
import { execute } from '../support/database';
import { localCertificate } from '../support/tds/certificate';
import { waitFor } from '../support/wait-for';
import { Deployment } from './deployment';
import { LOADED_MS } from './loaded';
import { SourceFirm } from './source-firm';

/** A deployment with two of each process that a promotion may lose, a firm's SQL Server, and a receiver of webhooks. */
export class PromotionStage {
  private constructor(
    readonly deployment: Deployment,
    readonly receiver: HookReceiver,
    readonly source: SourceFirm,
    private readonly tokens: ReadonlyMap<string, string>,
    private readonly folder: string,
  ) {}

  /** @param items the number of the firm's work items */
  static async open(tenants: string[], partitions: number, items: number): Promise<PromotionStage> {
    const folder = await mkdtemp(join(tmpdir(), 'practice-chaos-'));
    const IMPORT_CA_FILE = join(folder, 'ca.pem');
    const certificate = await localCertificate();
    await writeFile(IMPORT_CA_FILE, certificate.ca);
    const deployment = await Deployment.start(
      { command: 1, query: 1, projector: 2, worker: 2 },
      {
        IMPORT_ALLOWED: '127.0.0.0/8,::1',
        IMPORT_CA_FILE,
        WEBHOOKS_ALLOW_INSECURE: 'true',
        PARTITIONS: String(partitions),
      },
    );
    try {
      const tokens = await deployment.openTenants(tenants);
      const source = await SourceFirm.open(deployment.url, certificate, items);
      await deployment.caughtUp();
      return new PromotionStage(deployment, await HookReceiver.open(), source, tokens, folder);
    } catch (error) {
      await deployment.stop();
      throw error;
    }
  }

  token(tenant: string): string {
    return this.tokens.get(tenant)!;
  }

  /** A client that knows no position yet, so its reads wait for none. */
  async caller(tenant: string): Promise<ApiClient> {
    const [writes] = await this.deployment.addressesOf('command');
    const [reads] = await this.deployment.addressesOf('query');
    return new ApiClient(tenant, this.token(tenant), { writes, reads });
  }

  sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return execute<Row>(this.deployment.url, text, values);
  }

  /** A tenant's number, and the UUID of its stream. */
  async registered(alias: string): Promise<{ id: number; stream: string }> {
    const [row] = await this.sql<{ id: number; stream: string }>(
      'select id, stream_id as stream from platform.tenants where alias = $1',
      [alias],
    );
    return row;
  }

  /** Imports the firm. @returns the id of the request, which can be promoted */
  async import(api: ApiClient): Promise<string> {
    const asked = await api.post('etl/import', { connectionString: this.source.server.connectionString() });
    expect(asked.status).toBe(202);
    const { requestId } = asked.body;
    expect(await this.ended(api, requestId, 'Import')).toMatchObject({
      status: 'Validated',
      canPromote: true,
    });
    return requestId;
  }

  async promote(api: ApiClient, requestId: string): Promise<void> {
    expect(await api.post('etl/promote-to-production', { requestId })).toMatchObject({
      status: 202,
      body: { message: 'Promotion to production started.', requestId },
    });
  }

  /** The status of a request, once it has ended. */
  ended(
    api: ApiClient,
    requestId: string,
    kind: 'Import' | 'Promotion',
    lost = new AbortController().signal,
  ): Promise<Json> {
    const isEnded = async () => {
      lost.throwIfAborted();
      const { status, body } = await api.get(`etl/import-status/${requestId}`);
      return status === 200 && body.kind === kind && body.finishedAt !== null && body;
    };
    return waitFor(isEnded, { timeoutMs: LOADED_MS, description: `the end of the ${kind}` });
  }

  /** Resolves when no delivery is outstanding and the records with these names have been received. */
  async delivered(names: readonly string[]): Promise<void> {
    const isDelivered = async () => {
      const received = new Set(this.receiver.received.map(({ body }) => body.data.data?.name));
      if (!names.every((name) => received.has(name))) return false;
      return (await this.sql('select from webhooks.deliveries where state <> 1 limit 1')).length === 0;
    };
    await waitFor(isDelivered, { timeoutMs: LOADED_MS, description: 'all deliveries' });
  }

  /** Stops everything. @returns the exit codes of the processes */
  async close(): Promise<(number | null)[]> {
    try {
      await this.source.close();
      return await this.deployment.stop();
    } finally {
      await this.receiver.close();
      await rm(this.folder, { recursive: true });
    }
  }
}
