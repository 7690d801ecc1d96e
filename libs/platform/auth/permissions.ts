const areas = [
  'entities',
  'clients',
  'employees',
  'roles',
  'suppliers',
  'matters',
  'mattertypes',
  'tasktypes',
  'divisions',
  'workitems',
  'invoices',
  'costrecoveries',
  'applicablerates',
  'ratesets',
  'disbursementcodes',
  'taxcodes',
  'documents',
  'documentcollections',
  'webhooks',
  'integrations',
] as const;
/**
 * Permissions that belong to no area's reads or writes. An export of a person shows more than any other permission
 * does.
 */
const others = ['entities:export', 'tenants:read', 'reports:read', 'etl:write', 'audit:read'] as const;

/** A permission: a route requires it, a tenant grants it, and a token's scope narrows the granted ones. */
export type PermissionName = `${(typeof areas)[number]}:${'read' | 'write'}` | (typeof others)[number];

export const allPermissions: readonly PermissionName[] = [
  ...areas.flatMap((area) => [`${area}:read`, `${area}:write`] as const),
  ...others,
];

const known: ReadonlySet<string> = new Set(allPermissions);

export function isPermission(text: string): text is PermissionName {
  return known.has(text);
}
