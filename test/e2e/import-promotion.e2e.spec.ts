import { recordId } from '#import/records/record-id';
import type { ApiClient, Credentials, Json } from '../support/client';
import { changedCopy } from '../support/firms/changed-copy';
import { waitFor } from '../support/wait-for';
import { HookReceiver } from './hook-receiver';
import { firmFigures, type ShownFigures, SOURCE_SYSTEM, shownFigures, together } from './import-figures';
import { ImportOffice } from './import-office';
import type { ImportSource } from './import-source';
import { employee, hour, mark, matter } from './records';
import { expectProblem } from './refusals';

/** A tenant, the firm that it imports, and the path of its webhook. */
interface Customer {
  alias: string;
  api: ApiClient;
  credentials: Credentials;
  /** UUID of its stream. */
  id: string;
  source: ImportSource;
  path: string;
}

let imports: ImportOffice;
let receiver: HookReceiver;
let leeds: Customer;
/** Its firm is smaller, so that changes to it show as well. */
let york: Customer;
/** The figures of leeds before the import. */
let own: ShownFigures;

beforeAll(async () => {
  receiver = await HookReceiver.open();
  imports = await ImportOffice.open([10_000, 600], { WEBHOOKS_ALLOW_INSECURE: 'true' });
  leeds = await customer('leeds', imports.sources[0]);
  york = await customer('york', imports.sources[1]);
  const { api } = leeds;
  const [matterId, employeeId] = [await matter(api), await employee(api)];
  for (const title of ['Call', 'Letter'])
    await api.create('workitems', hour(matterId, employeeId, { title }));
  own = (await waitFor<ShownFigures | false>(
    async () => {
      const figures = await shownFigures(api);
      return figures.counts.workitems === 2 && Object.keys(figures.byMatter).length === 1 && figures;
    },
    { description: "the tenant's own work" },
  )) as ShownFigures;
  for (const one of [leeds, york])
    await one.api.data('POST', 'webhooks', { url: receiver.url + one.path, events: ['*'] });
});
afterAll(async () => {
  await imports?.close();
  await receiver.close();
});

async function customer(alias: string, source: ImportSource): Promise<Customer> {
  const caller = await imports.tenant(alias);
  const [{ id }] = await imports.office.sql<{ id: string }>(
    `select stream_id as id from platform.tenants where alias = '${alias}'`,
  );
  return { alias, ...caller, id, source, path: `/${mark()}` };
}

/** Imports what the source holds now. @returns the id of the validated import */
async function validated({ api, source }: Customer): Promise<string> {
  const requestId = await imports.import(api, source.server.connectionString());
  expect(await imports.until(api, requestId)).toMatchObject({ status: 'Validated', canPromote: true });
  return requestId;
}

async function promoted({ api }: Customer, requestId: string): Promise<Json> {
  await imports.promote(api, requestId);
  return imports.until(api, requestId, 'Promoted');
}

/** The number of the tenant's events, without those of the promotions themselves. */
async function events({ alias }: Customer): Promise<number> {
  const [{ count }] = await imports.office.sql<{ count: number }>(
    `select count(*)::int as count from event_store.events e join platform.tenants t on t.id = e.tenant_id
     where t.alias = '${alias}' and type <> 'ImportPromoted'`,
  );
  return count;
}

const messages = ({ path }: Customer) =>
  receiver.at(path).filter(({ body }) => body.type === 'import.promoted');

it('appears in one moment beside what the tenant has, and is announced once', async () => {
  const { api, credentials, path } = leeds;
  const requestId = await validated(leeds);
  const firm = firmFigures(leeds.id, leeds.source.firm);
  expect(await shownFigures(await imports.caller('leeds--staging', credentials))).toEqual(firm);
  const seen = new Set<number>();
  const refused = new Set<number>();
  let isOver = false;
  const onlooker = waitFor(
    async () => {
      const isLast = isOver;
      const { totalCount } = await api.data('GET', 'workitems?pageSize=1&includeTotalCount=true');
      seen.add(totalCount);
      const write = await api.post('divisions', { name: mark(), code: mark() });
      refused.add(write.status);
      if (write.status === 503) expectProblem(write, 503, 'promotion_in_progress');
      return isLast;
    },
    { everyMs: 50, description: 'the end of the promotion', timeoutMs: 240_000 },
  );
  const ended = await promoted(leeds, requestId);
  isOver = true;
  await onlooker;
  expect(ended).toMatchObject({ kind: 'Promotion', status: 'Promoted', canPromote: false });
  expect(await shownFigures(api)).toEqual(together(own, firm));
  const all = own.counts.workitems + firm.counts.workitems;
  expect([...seen].sort((a, b) => a - b)).toEqual([own.counts.workitems, all]);
  expect([...refused].sort()).toEqual([201, 503]);
  const { lastImport } = await api.data('GET', 'tenants');
  expect(lastImport).toMatchObject({ requestId, sourceSystem: SOURCE_SYSTEM, changed: 0 });
  await waitFor(() => messages(leeds).length > 0, { description: 'import.promoted' });
  expect(messages(leeds)).toHaveLength(1);
  expect(messages(leeds)[0].body.data.data.lastImport).toEqual(lastImport);
  const others = receiver
    .at(path)
    .filter(({ body }) => !['import.promoted', 'division.created'].includes(body.type));
  expect(others).toEqual([]);
  // A second request returns the same promotion, which can no longer be cancelled.
  expect(await promoted(leeds, requestId)).toEqual(ended);
  expectProblem(await api.post('etl/cancel', { requestId }), 409, 'import_promoted');
});

it('changes nothing when the same data is imported again', async () => {
  const [before, figures] = [await events(leeds), await shownFigures(leeds.api)];
  const { message } = await promoted(leeds, await validated(leeds));
  expect(message).toContain('0 records are new, 0 have changed');
  expect(await events(leeds)).toBe(before);
  expect(await shownFigures(leeds.api)).toEqual(figures);
  await waitFor(() => messages(leeds).length === 2, { description: 'the second message' });
  await imports.office.cli('projections', 'audit', '--all', '--tenant', 'leeds');
});

it('changes only what is different in a changed copy', async () => {
  const { api, id, source } = york;
  await promoted(york, await validated(york));
  expect(await shownFigures(api)).toEqual(firmFigures(id, source.firm));
  const { changes, firm } = await changedCopy(source.client, { rows: 10 });
  const isNew = ({ columns }: (typeof changes)[number]) => columns.includes('ImportId');
  const ended = await promoted(york, await validated(york));
  const [created, changed] = [changes.filter(isNew).length, changes.filter((one) => !isNew(one)).length];
  expect(ended).toMatchObject({ status: 'Promoted' });
  expect(ended.message).toContain(`${created} records are new, ${changed} have changed`);
  expect(await shownFigures(api)).toEqual(firmFigures(id, firm));
  await waitFor(() => messages(york).length === 2, { description: 'the second message' });
  await imports.office.cli('projections', 'audit', '--all', '--tenant', 'york');
});

it('leaves the tenant unchanged when a record was edited after the import that changes it', async () => {
  const { api, source } = york;
  const { rows } = await source.client.query(
    `update etl."Matter" set "Title" = 'Changed there' where "ImportId" in (
       select "ImportId" from etl."Matter" where "State" = 'Open' order by 1 limit 1) returning "ImportId" as key`,
  );
  const before = await events(york);
  const requestId = await validated(york);
  const id = recordId(york.id, SOURCE_SYSTEM, 'Matter', rows[0].key);
  await api.data('PATCH', `matters/${id}`, { title: 'Changed here' });
  const ended = await promoted(york, requestId);
  expect(ended).toMatchObject({ status: 'PromotionFailed', canPromote: true, validation: { errors: 1 } });
  const report = await api.data('GET', `etl/import-report/${requestId}`);
  expect(report.rows).toEqual([
    expect.objectContaining({ code: 'edited_since_import', table: 'Matter', importId: rows[0].key }),
  ]);
  expect(await events(york)).toBe(before + 1);
  // Other tenants cannot promote it, and nobody can once it is cancelled.
  expectProblem(await leeds.api.post('etl/promote-to-production', { requestId }), 404, 'not_found');
  await api.post('etl/cancel', { requestId });
  expectProblem(await api.post('etl/promote-to-production', { requestId }), 409, 'not_promotable');
  await api.create('divisions', { name: 'Open again', code: mark() });
});
