import { type Firm, makeFirm } from '../support/contract/bodies';
import { committedDescription, operationsOf, successOf } from '../support/contract/description';
import { type Request, requestOf, send } from '../support/contract/requests';
import { Office } from './office';
import { mark } from './records';
import { expectProblem } from './refusals';

const operations = operationsOf(committedDescription());
/** Without requests about imports, which are allowed during a promotion. */
const others = operations.filter(({ path }) => !path.includes('/etl/'));

describe('while an import is being promoted', () => {
  let office: Office;
  let firm: Firm;
  let neighbour: Firm;
  let id: number;
  const requests: Request[] = [];

  beforeAll(async () => {
    office = await Office.join();
    firm = await makeFirm(await office.tenant(), 'rosebud');
    neighbour = await makeFirm(await office.tenant(), 'xanadu');
    for (const operation of others) requests.push(await requestOf(operation, firm, operations));
    [{ id }] = await office.sql<{ id: number }>(
      `select id from platform.tenants where alias = '${firm.api.tenant}'`,
    );
    await office.sql(
      `insert into event_store.closed_tenants (tenant_id, reason) values (${id}, 'promotion_in_progress')`,
    );
  });
  afterAll(() => office.close());

  /** Everything that requests can change in the tenant. */
  async function written(): Promise<object> {
    const [row] = await office.sql<object>(
      `select (select count(*) from event_store.events where tenant_id = ${id}) as events,
         (select count(*) from event_store.idempotency_keys where tenant_id = ${id}) as keys,
         (select sum(version) from webhooks.endpoints where tenant_id = ${id}) as endpoints,
         (select count(*) from webhooks.replays where tenant_id = ${id}) as replays,
         (select count(*) from webhooks.repeats where tenant_id = ${id}) as repeats,
         (select sum(version) from platform.integration_settings where tenant_id = ${id}) as settings`,
    );
    return row;
  }

  it('every request that changes something is told to try again later, and changes nothing', async () => {
    const before = await written();
    const changes = requests.filter(({ operation }) => operation.method !== 'GET');
    expect(changes.length).toBeGreaterThan(80);
    for (const request of changes) {
      const answer = await send(firm.api, request, { 'Idempotency-Key': mark() });
      expect([request.operation.id, answer.status]).toEqual([request.operation.id, 503]);
      expectProblem(answer, 503, 'promotion_in_progress');
      expect(answer.headers.get('retry-after')).toBe('30');
    }
    expect(await written()).toEqual(before);
  });

  it('requests that only read are answered, and so are the writes of other tenants', async () => {
    for (const request of requests.filter(({ operation }) => operation.method === 'GET')) {
      const { status } = await send(firm.api, request);
      const { id: name } = request.operation;
      // An export of personal data must be recorded, which is a write.
      expect([name, status]).toEqual([name, name === 'exportEntity' ? 503 : successOf(request.operation)]);
    }
    const { status } = await neighbour.api.post('divisions', { name: mark() });
    expect(status).toBe(201);
  });

  it('writes are possible again once it has ended', async () => {
    await office.sql(`delete from event_store.closed_tenants where tenant_id = ${id}`);
    const { status } = await firm.api.post('divisions', { name: mark() });
    expect(status).toBe(201);
  });
});
