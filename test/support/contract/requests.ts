import { mark } from '../../e2e/records';
import type { Answer, ApiClient, Json } from '../client';
import { formOf } from '../form';
import { bodies, type Firm, makeRecord } from './bodies';
import { kindsOf, type Operation } from './description';

/** The content of a request to an operation. */
export interface Request {
  operation: Operation;
  path: Record<string, string>;
  query: Record<string, string>;
  body: Json;
}

/** A place at which a request names a record. */
export interface Place {
  in: 'path' | 'query' | 'body';
  /** Name of the parameter, or the property's path in the body. */
  at: string[];
  kind: string;
}

/** Operations that others must precede, on the same record. */
const first: Record<string, string | string[]> = {
  deleteEntityRole: 'assignEntityRole',
  archiveMatter: 'closeMatter',
  reopenMatter: 'closeMatter',
  finaliseWorkItems: 'unfinaliseWorkItem',
  finaliseWorkItem: 'unfinaliseWorkItem',
  updateWorkItem: 'unfinaliseWorkItem',
  deleteWorkItem: 'unfinaliseWorkItem',
  reinstateWorkItem: 'writeOffWorkItem',
  finaliseCostRecoveries: 'unfinaliseCostRecovery',
  finaliseCostRecovery: 'unfinaliseCostRecovery',
  updateCostRecovery: 'unfinaliseCostRecovery',
  deleteCostRecovery: 'unfinaliseCostRecovery',
  reinstateCostRecovery: 'writeOffCostRecovery',
  unissueInvoice: 'issueInvoice',
  voidInvoice: 'issueInvoice',
  payInvoice: 'issueInvoice',
  reversePaymentOfInvoice: ['issueInvoice', 'payInvoice'],
  writeOffInvoice: 'issueInvoice',
  exportLedesOfInvoice: 'issueInvoice',
};

/** Areas with few records in a tenant. Repeatable changes are made to the firm's own record. */
const shared = ['webhooks', 'etl'];

/** The area of an operation: `matters` for `/{tenant}/api/v1/matters/{id}`. */
export const areaOf = ({ path }: Operation) => path.split('/')[4];

/**
 * A request with the firm's records that succeeds. Unless it only reads, it acts on a new record.
 * @throws when the description has no valid content for the request
 */
export async function requestOf(operation: Operation, firm: Firm, all: Operation[]): Promise<Request> {
  const ids = { ...firm.ids };
  const area = areaOf(operation);
  const isAction = operation.method === 'POST' && !isCreate(operation);
  const changes = operation.method !== 'GET' && operation.path.includes('{id}');
  const isOwn = !shared.includes(area) || operation.method === 'DELETE';
  if (isOwn && (isAction || changes || first[operation.id])) {
    const id = await makeRecord(firm, area);
    ids[id.split('_')[0]] = id;
    for (const name of [first[operation.id] ?? operation.id.replace(/^activate/, 'deactivate')].flat()) {
      const before = name === operation.id ? undefined : all.find((other) => other.id === name);
      if (before) await accepted(firm.api, filled(before, ids, await bodyOf(before, firm, ids)));
    }
  }
  return filled(operation, ids, await bodyOf(operation, firm, ids));
}

const isCreate = (operation: Operation) =>
  operation.method === 'POST' && operation.path.endsWith(`/${areaOf(operation)}`);

async function bodyOf(operation: Operation, firm: Firm, ids: Firm['ids']): Promise<Json> {
  if (!operation.body) return undefined;
  if (isCreate(operation)) return bodies[areaOf(operation)]?.(firm, mark());
  if (operation.method === 'PATCH')
    return shared.includes(areaOf(operation)) ? { description: mark() } : { externalReference: mark() };
  const { example } = operation.body;
  // Repeating a promotion gives the same answer as the first time.
  const requestId = operation.id === 'promoteImport' ? ids.promotedRequestId : ids.requestId;
  return ownIds({ ...example, ...(example.requestId && { requestId }) }, ids, operation.id);
}

function filled(operation: Operation, ids: Firm['ids'], body: Json): Request {
  const request: Request = { operation, path: {}, query: {}, body };
  for (const { name, in: place, required, schema, example } of operation.parameters) {
    if (!required || name === 'tenant') continue;
    const value = ids[kindsOf(schema)[0] ?? name] ?? example ?? schema.example;
    if (value === undefined) throw new Error(`${operation.id}: nothing to fill ${name} with`);
    request[place as 'path' | 'query'][name] = value;
  }
  if (operation.body && body === undefined) throw new Error(`${operation.id}: no body`);
  return request;
}

/** An example in which the firm's records replace those that it names. */
export function ownIds(example: Json, ids: Firm['ids'], what: string): Json {
  return JSON.parse(JSON.stringify(example), (_key, value) => {
    const [, kind] = (typeof value === 'string' && /^([a-z]+)_[0-9a-f]{32}$/.exec(value)) || [];
    if (kind && !ids[kind]) throw new Error(`${what}: no ${kind} to fill its example with`);
    return kind ? ids[kind] : value;
  });
}

export function send(
  api: ApiClient,
  request: Request,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { operation, path, query, body } = request;
  const address = operation.path
    .replace('{tenant}', api.tenant)
    .replaceAll(/\{(\w+)\}/g, (_braces, name) => path[name]);
  const text = new URLSearchParams(query).toString();
  const sent = operation.isForm ? formOf(body) : body;
  return api.send(operation.method, text ? `${address}?${text}` : address, sent, headers);
}

async function accepted(api: ApiClient, request: Request): Promise<void> {
  const { status, body } = await send(api, request);
  if (status >= 300) throw new Error(`${request.operation.id} answered ${status}: ${JSON.stringify(body)}`);
}

/** Every place at which a request of the operation may name a record. */
export function placesOf({ parameters, body }: Operation, resolve: (schema: Json) => Json): Place[] {
  const asked = parameters.flatMap(({ name, in: place, schema }) =>
    kindsOf(schema).map((kind): Place => ({ in: place as Place['in'], at: [name], kind })),
  );
  return [...asked, ...(body ? placesIn(body.schema, [], resolve) : [])];
}

function placesIn(schema: Json, at: string[], resolve: (schema: Json) => Json): Place[] {
  const { properties = {}, items, allOf: [part] = [], ...own } = resolve(schema);
  const [kind] = kindsOf(own);
  return [
    ...(kind ? [{ in: 'body' as const, at, kind }] : []),
    ...(part ? placesIn(part, at, resolve) : []),
    ...(items ? placesIn(items, [...at, '0'], resolve) : []),
    ...Object.entries(properties).flatMap(([name, property]) => placesIn(property, [...at, name], resolve)),
  ];
}

/** The request with another record at a place. Objects on the way to the place are those of the operation's example. */
export function naming(request: Request, place: Place, id: string, ids: Firm['ids']): Request {
  if (place.in !== 'body') return { ...request, [place.in]: { ...request[place.in], [place.at[0]]: id } };
  const { operation } = request;
  const body = structuredClone(request.body);
  const [top, ...below] = place.at;
  if (below.length > 0) body[top] ??= ownIds(operation.body!.example[top] ?? [], ids, operation.id);
  const parent = place.at.slice(0, -1).reduce((part, key) => part[key], body);
  parent[place.at.at(-1)!] = id;
  return { ...request, body };
}
