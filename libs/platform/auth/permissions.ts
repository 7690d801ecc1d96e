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
/** All that is held on a person is more than any other permission opens. */
const others = ['entities:export', 'tenants:read', 'reports:read', 'etl:write', 'audit:read'] as const;

/** What a route asks for, a tenant grants and a scope narrows. */
export type PermissionName = `${(typeof areas)[number]}:${'read' | 'write'}` | (typeof others)[number];

export const allPermissions: readonly PermissionName[] = [
  ...areas.flatMap((area) => [`${area}:read`, `${area}:write`] as const),
  ...others,
];

const known: ReadonlySet<string> = new Set(allPermissions);

export function isPermission(text: string): text is PermissionName {
  return known.has(text);
}
