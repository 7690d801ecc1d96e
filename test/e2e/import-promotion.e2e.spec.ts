import { recordId } from '#import/records/record-id';
import type { ApiClient, Credentials, Json } from '../support/client';
import { changedCopy } from '../support/firms/changed-copy';
import { waitFor } from '../support/wait-for';
import { HookReceiver } from './hook-receiver';
import { firmFigures, type ShownFigures, SOURCE_SYSTEM, shownFigures, together } from './import-figures';
import { ImportOffice } from './import-office';
import { employee, hour, mark, matter } from './records';
import { expectProblem } from './refusals';

let imports: ImportOffice;
let receiver: HookReceiver;
let leeds: ApiClient;
let credentials: Credentials;
let tenant: string;
/** What the tenant had before. */
let own: ShownFigures;
const path = `/${mark()}`;

beforeAll(async () => {
  receiver = await HookReceiver.open();
  imports = await ImportOffice.open(10_000, { WEBHOOKS_ALLOW_INSECURE: 'true' });
  ({ api: leeds, credentials } = await imports.tenant('leeds'));
  [{ stream_id: tenant }] = await imports.office.sql<{ stream_id: string }>(
    `select stream_id from platform.tenants where alias = 'leeds'`,
  );
  const [matterId, employeeId] = [await matter(leeds), await employee(leeds)];
  for (const title of ['Call', 'Letter'])
    await leeds.create('workitems', hour(matterId, employeeId, { title }));
  own = (await waitFor<ShownFigures | false>(
    async () => {
      const figures = await shownFigures(leeds);
      return figures.counts.workitems === 2 && Object.keys(figures.byMatter).length === 1 && figures;
    },
    { description: "the tenant's own work" },
  )) as ShownFigures;
  await leeds.data('POST', 'webhooks', { url: receiver.url + path, events: ['*'] });
});
afterAll(async () => {
  await imports?.close();
  await receiver.close();
});

/** An import of what the source holds now, validated. */
async function validated(): Promise<string> {
  const requestId = await imports.import(leeds);
  expect(await imports.until(leeds, requestId)).toMatchObject({ status: 'Validated', canPromote: true });
  return requestId;
}

async function promoted(requestId: string): Promise<Json> {
  await imports.promote(leeds, requestId);
  return imports.until(leeds, requestId, 'Promoted');
}

/** Events of the tenant, but for those of the promotions themselves. */
async function events(): Promise<number> {
  const [{ count }] = await imports.office.sql<{ count: number }>(
    `select count(*)::int as count from event_store.events e join platform.tenants t on t.id = e.tenant_id
     where t.alias = 'leeds' and type <> 'ImportPromoted'`,
  );
  return count;
}

const messages = () => receiver.at(path).filter(({ body }) => body.type === 'import.promoted');

it('arrives at one moment beside what the tenant has, and is told once', async () => {
  const requestId = await validated();
  const firm = firmFigures(tenant, imports.firm);
  expect(await shownFigures(await imports.caller('leeds--staging', credentials))).toEqual(firm);
  const seen = new Set<number>();
  const refused = new Set<number>();
  let isOver = false;
  const onlooker = waitFor(
    async () => {
      const { totalCount } = await leeds.data('GET', 'workitems?pageSize=1&includeTotalCount=true');
      seen.add(totalCount);
      const write = await leeds.post('divisions', { name: mark(), code: mark() });
      refused.add(write.status);
      if (write.status === 503) expectProblem(write, 503, 'promotion_in_progress');
      return isOver;
    },
    { description: 'the end of the promotion', timeoutMs: 240_000 },
  );
  const ended = await promoted(requestId);
  isOver = true;
  await onlooker;
  expect(ended).toMatchObject({ kind: 'Promotion', status: 'Promoted', canPromote: false });
  expect(await shownFigures(leeds)).toEqual(together(own, firm));
  const all = own.counts.workitems + firm.counts.workitems;
  expect([...seen].sort((a, b) => a - b)).toEqual([own.counts.workitems, all]);
  expect([...refused].sort()).toEqual([201, 503]);
  const { lastImport } = await leeds.data('GET', 'tenants');
  expect(lastImport).toMatchObject({ requestId, sourceSystem: SOURCE_SYSTEM, changed: 0 });
  await waitFor(() => messages().length > 0, { description: 'import.promoted' });
  expect(messages()).toHaveLength(1);
  expect(messages()[0].body.data.data.lastImport).toEqual(lastImport);
  const others = receiver
    .at(path)
    .filter(({ body }) => !['import.promoted', 'division.created'].includes(body.type));
  expect(others).toEqual([]);
  // Asked again, it is the same promotion; and it is too late to cancel it.
  expect(await promoted(requestId)).toEqual(ended);
  expectProblem(await leeds.post('etl/cancel', { requestId }), 409, 'import_promoted');
});

it('changes nothing when it comes again, and just what is new of a changed copy', async () => {
  const before = await events();
  expect((await promoted(await validated())).message).toContain('0 records are new, 0 have changed');
  expect(await events()).toBe(before);
  const { changes, firm } = await changedCopy(imports.sourceClient, { rows: 10 });
  const isNew = ({ columns }: (typeof changes)[number]) => columns.includes('ImportId');
  const ended = await promoted(await validated());
  const [created, changed] = [changes.filter(isNew).length, changes.filter((one) => !isNew(one)).length];
  expect(ended).toMatchObject({ status: 'Promoted' });
  expect(ended.message).toContain(`${created} records are new, ${changed} have changed`);
  expect(await shownFigures(leeds)).toEqual(together(own, firmFigures(tenant, firm)));
  await waitFor(() => messages().length === 3, { description: 'the third message' });
  await imports.office.cli('projections', 'audit', '--all', '--tenant', 'leeds');
});

it('leaves the tenant alone when a record was edited since the import that changes it', async () => {
  const { rows } = await imports.sourceClient.query(
    `update etl."Matter" set "Title" = 'Changed there' where "ImportId" in (
       select "ImportId" from etl."Matter" where "State" = 'Open' order by 1 limit 1) returning "ImportId" as key`,
  );
  const before = await events();
  const requestId = await validated();
  const id = recordId(tenant, SOURCE_SYSTEM, 'Matter', rows[0].key);
  await leeds.data('PATCH', `matters/${id}`, { title: 'Changed here' });
  const ended = await promoted(requestId);
  expect(ended).toMatchObject({ status: 'PromotionFailed', canPromote: true, validation: { errors: 1 } });
  const report = await leeds.data('GET', `etl/import-report/${requestId}`);
  expect(report.rows).toEqual([
    expect.objectContaining({ code: 'edited_since_import', table: 'Matter', importId: rows[0].key }),
  ]);
  expect(await events()).toBe(before + 1);
  // It is nobody else's to promote, and nobody's once it is cancelled.
  const { api: york } = await imports.tenant('york');
  expectProblem(await york.post('etl/promote-to-production', { requestId }), 404, 'not_found');
  await leeds.post('etl/cancel', { requestId });
  expectProblem(await leeds.post('etl/promote-to-production', { requestId }), 409, 'not_promotable');
  await leeds.create('divisions', { name: 'Open again', code: mark() });
});
