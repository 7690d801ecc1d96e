import type { Answer } from '../support/client';
import { Answers } from '../support/contract/answers';
import { type Firm, makeFirm } from '../support/contract/bodies';
import {
  committedDescription,
  type Operation,
  operationsOf,
  successOf,
} from '../support/contract/description';
import { requestOf, send } from '../support/contract/requests';
import { Office } from './office';
import { mark } from './records';
import { expectProblem } from './refusals';

const description = committedDescription();
const operations = operationsOf(description);
const answers = new Answers(description);

let office: Office;
let firm: Firm;

beforeAll(async () => {
  office = await Office.join();
  firm = await makeFirm(await office.tenant(), 'rosebud');
  firm.ids.promotedRequestId = await office.promotedImport(firm.api.tenant);
});
afterAll(() => office.close());

const has = ({ parameters }: Operation, header: string) => parameters.some(({ name }) => name === header);

/** The answer's status, body and headers are as the description says. */
function expectDescribed({ responses }: Operation, { status, headers, body }: Answer): void {
  const described = responses[status];
  expect([status, described]).toEqual([status, expect.anything()]);
  const type = headers.get('content-type')?.split(';')[0];
  const { schema } = described.content?.[type!] ?? described.content?.['*/*'] ?? {};
  expect({ type, isDescribed: schema !== undefined }).toEqual({ type, isDescribed: body !== undefined });
  if (schema) expect(answers.faults(schema, body)).toEqual([]);
  // Only an answer that is a file has a name of a file.
  const ofFiles = type === 'application/json' ? ['Content-Disposition'] : [];
  const sometimes = ['Idempotent-Replayed', 'Preference-Applied', ...ofFiles];
  const missing = Object.keys(described.headers ?? {}).filter((name) => !headers.has(name));
  expect(missing.filter((name) => !sometimes.includes(name))).toEqual([]);
}

describe.each(operations.map((operation) => [operation.id, operation] as const))('%s', (_id, operation) => {
  it('answers as described, and only with the permission', async () => {
    const { api } = firm;
    const request = await requestOf(operation, firm, operations);
    const stranger = await send(api, request, { Authorization: 'Bearer nonsense' });
    expectProblem(stranger, 401, 'invalid_token');
    expectDescribed(operation, stranger);
    if (has(operation, 'If-Match')) {
      const stale = await send(api, request, { 'If-Match': '"99"' });
      expectProblem(stale, 412, 'version_mismatch');
      expectDescribed(operation, stale);
    }
    const key = { 'Idempotency-Key': mark() };
    const answer = await send(api, request, key);
    const { status, body } = answer;
    expect({ status, detail: body?.detail }).toEqual({ status: successOf(operation), detail: undefined });
    expectDescribed(operation, answer);
    if (has(operation, 'Range')) {
      const part = await send(api, request, { Range: 'bytes=0-0' });
      expect(part.status).toBe(206);
      expectDescribed(operation, part);
    }
    if (!has(operation, 'Idempotency-Key')) return;
    const again = await send(api, request, key);
    expect(again).toMatchObject({ status: answer.status, body: answer.body });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expectDescribed(operation, again);
  });
});

it('checks the permission that each operation names before anything else', async () => {
  const allowed = async (scope: string) =>
    office.caller(firm.api.tenant, await office.integration(firm.api.tenant), { scope });
  const auditor = await allowed('audit:read');
  for (const operation of operations) {
    const refused = await send(auditor, await requestOf(operation, firm, operations));
    expectProblem(refused, 403, 'permission_denied');
    expectDescribed(operation, refused);
    expect(refused.body.detail).toContain(operation.permission);
  }
});

it('finds no record by an id of another kind', async () => {
  const ofRecords = operations.filter(({ path }) => path.includes('{id}'));
  for (const operation of ofRecords) {
    const request = await requestOf(operation, firm, operations);
    const [kind] = request.path.id.split('_');
    const other = kind === 'matter' ? firm.ids.client : firm.ids.matter;
    request.path.id = `${kind}_${other.split('_')[1]}`;
    const { status, body } = await send(firm.api, request);
    expect([operation.id, status, body?.code]).toEqual([operation.id, 404, 'not_found']);
  }
});
