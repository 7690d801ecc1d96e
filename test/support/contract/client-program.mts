/**
 * The main path as an integrator writes it, with a client whose types openapi-typescript generates from openapi.json.
 * generated-client.e2e.spec.ts type-checks and runs it beside `api.ts`, the generated types.
 */
import createClient, { type Middleware } from 'openapi-fetch';
import type { components, paths } from './api.js';

type Schemas = components['schemas'];

const { BASE_URL: baseUrl = '', TENANT: tenant = '', CLIENT_ID = '', CLIENT_SECRET = '' } = process.env;
const client = createClient<paths>({ baseUrl });
const inTenant = { tenant };

/** The error of a refused request. Programs distinguish errors by their code. */
class Refusal extends Error {
  constructor(readonly problem: Schemas['Problem']) {
    super(problem.detail);
  }
}

/** The record of an answer. */
async function done<Record>(
  answer: Promise<{ data?: { success: boolean; data: Record }; error?: unknown }>,
): Promise<Record> {
  const { data, error } = await answer;
  if (!data) throw new Refusal(error as Schemas['Problem']);
  return data.data;
}

async function authorize(): Promise<void> {
  const { data, error } = await client.POST('/oauth2/token', {
    body: { grant_type: 'client_credentials', client_id: CLIENT_ID, client_secret: CLIENT_SECRET },
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  if (!data) throw new Error(error.error_description);
  let position: string | undefined;
  const session: Middleware = {
    onRequest({ request }) {
      request.headers.set('Authorization', `Bearer ${data.access_token}`);
      if (position && request.method === 'GET') request.headers.set('X-Min-Position', position);
    },
    onResponse({ request, response }) {
      if (request.method !== 'GET') position = response.headers.get('X-Event-Position') ?? position;
    },
  };
  client.use(session);
}

async function walk() {
  const params = { path: inTenant };
  const { firmName, currency } = await done(client.GET('/{tenant}/api/v1/tenants', { params }));
  const ada = await done(
    client.POST('/{tenant}/api/v1/entities', {
      params: { ...params, header: { 'Idempotency-Key': 'ada' } },
      body: { entityType: 'Individual', firstName: 'Ada', lastName: 'Lovelace' },
    }),
  );
  const acting = await done(client.POST('/{tenant}/api/v1/clients', { params, body: { entityId: ada.id } }));
  const divisions = await done(client.GET('/{tenant}/api/v1/divisions', { params }));
  const opening = { clientId: acting.id, divisionId: divisions.rows[0]!.id, title: 'Engine' };
  const open = () => done(client.POST('/{tenant}/api/v1/matters', { params, body: opening }));
  const early = await open().catch((error: unknown) => error);
  const activated = await done(
    client.POST('/{tenant}/api/v1/clients/{id}/activate', {
      params: { path: { ...inTenant, id: acting.id } },
    }),
  );
  const matter = await open();
  const bob = { entityType: 'Individual', firstName: 'Bob', lastName: 'Fee' } as const;
  const person = await done(client.POST('/{tenant}/api/v1/entities', { params, body: bob }));
  const employee = await done(
    client.POST('/{tenant}/api/v1/employees', { params, body: { entityId: person.id } }),
  );
  const item = await done(
    client.POST('/{tenant}/api/v1/workitems', {
      params,
      body: {
        matterId: matter.id,
        employeeId: employee.id,
        itemType: 0,
        entryDate: '2025-06-12T10:00:00Z',
        durationTicks: 36_000_000_000,
        rate: { Amount: 250, Currency: currency },
      },
    }),
  );
  const work = await done(
    client.GET('/{tenant}/api/v1/workitems', {
      params: { path: inTenant, query: { matterId: matter.id, sort: '-entryDate', includeTotalCount: true } },
    }),
  );
  const renamed = await done(
    client.PATCH('/{tenant}/api/v1/matters/{id}', {
      params: {
        path: { ...inTenant, id: matter.id },
        header: { 'If-Match': `"${matter.version}"`, Prefer: 'return=representation' },
      },
      body: { title: 'Analytical Engine', feeEstimate: null },
    }),
  );
  const { error: stale } = await client.PATCH('/{tenant}/api/v1/matters/{id}', {
    params: { path: { ...inTenant, id: matter.id }, header: { 'If-Match': `"${matter.version}"` } },
    body: { title: 'Difference Engine' },
  });
  const spare = await done(client.POST('/{tenant}/api/v1/roles', { params, body: { name: 'Witness' } }));
  const { response: removed } = await client.DELETE('/{tenant}/api/v1/roles/{id}', {
    params: { path: { ...inTenant, id: spare.id } },
  });
  const history = await done(
    client.GET('/{tenant}/api/v1/roles/{id}/history', {
      params: { path: { ...inTenant, id: spare.id }, query: { pageSize: 10 } },
    }),
  );
  return {
    firmName,
    early: early instanceof Refusal && early.problem.code,
    pointers: early instanceof Refusal && early.problem.errors.map(({ pointer }) => pointer),
    client: activated.stateName,
    total: item.total,
    work: work.rows.map(({ id, matterTitle }) => ({ isOurs: id === item.id, matterTitle })),
    totalCount: work.totalCount,
    renamed: typeof renamed === 'string' ? renamed : renamed.title,
    stale: stale?.code,
    removed: removed.status,
    history: history.rows.map(({ type }) => type),
  };
}

/** Never runs: the compiler must refuse each of these calls. */
export async function mistakes(): Promise<void> {
  const params = { path: inTenant };
  const { GET, PATCH, POST } = client;
  // @ts-expect-error no such address
  await GET('/{tenant}/api/v1/nothing', { params });
  // @ts-expect-error the id is missing
  await GET('/{tenant}/api/v1/matters/{id}', { params });
  // @ts-expect-error no such filter
  await GET('/{tenant}/api/v1/matters', { params: { ...params, query: { colour: 'red' } } });
  // @ts-expect-error no such order
  await GET('/{tenant}/api/v1/matters', { params: { ...params, query: { sort: 'colour' } } });
  // @ts-expect-error lists are not deleted
  await client.DELETE('/{tenant}/api/v1/matters', { params });
  // @ts-expect-error title is required
  await POST('/{tenant}/api/v1/matters', { params, body: { clientId: 'x', divisionId: 'y' } });
  // @ts-expect-error there are two types
  await POST('/{tenant}/api/v1/entities', { params, body: { entityType: 'Ghost', lastName: 'x' } });
  // @ts-expect-error no such field
  await POST('/{tenant}/api/v1/entities', { params, body: { entityType: 'Individual', lastNam: 'x' } });
  const one = { params: { path: { tenant, id: 'x' } } };
  // @ts-expect-error a required field cannot be cleared
  await PATCH('/{tenant}/api/v1/matters/{id}', { ...one, body: { title: null } });
  const matter = { clientId: 'x', divisionId: 'y', title: 'z' };
  // @ts-expect-error money is an amount and a currency
  await POST('/{tenant}/api/v1/matters', { params, body: { ...matter, feeEstimate: 100 } });
  const { data, error } = await GET('/{tenant}/api/v1/matters/{id}', one);
  // @ts-expect-error a matter has no colour
  data?.data.colour;
  // @ts-expect-error nor a problem
  error?.colour;
}

await authorize();
console.log(JSON.stringify(await walk()));
