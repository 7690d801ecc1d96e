import { v7 } from 'uuid';

/** Kinds of record whose ids a client sees. */
export const kinds = [
  'entity',
  'client',
  'employee',
  'role',
  'supplier',
  'matter',
  'mattertype',
  'tasktype',
  'division',
  'workitem',
  'invoice',
  'costrecovery',
  'applicablerate',
  'rateset',
  'disbursementcode',
  'taxcode',
  'document',
  'documentcollection',
  'webhook',
  'delivery',
  'replay',
  'tenant',
] as const;
export type Kind = (typeof kinds)[number];

/** `<kind>_<32 lowercase hex>`, as clients see it. */
export type Id<K extends Kind = Kind> = `${K}_${string}`;

const pattern = /^([a-z]+)_([0-9a-f]{32})$/;

/** A new id over UUIDv7 (RFC 9562), so that ids sort by time. */
export function newId<K extends Kind>(kind: K): Id<K> {
  return `${kind}_${v7().replaceAll('-', '')}`;
}

/** A UUID with dashes, as PostgreSQL prints it, to a prefixed id. */
export function toId<K extends Kind>(kind: K, uuid: string): Id<K> {
  return `${kind}_${uuid.replaceAll('-', '')}`;
}

/** The UUID, with dashes, of a prefixed id. */
export function toUuid(id: string): string {
  const hex = id.slice(id.indexOf('_') + 1);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The kind of an id, or undefined when the text is not an id. */
export function kindOf(text: unknown): Kind | undefined {
  const match = typeof text === 'string' ? pattern.exec(text) : null;
  return match && (kinds as readonly string[]).includes(match[1]) ? (match[1] as Kind) : undefined;
}

export function isId<K extends Kind>(kind: K, text: unknown): text is Id<K> {
  return kindOf(text) === kind;
}
