import type { Kind } from '#kernel/ids';

/** How the API description describes an id of one kind. */
export function idSchema(kind: Kind) {
  return {
    type: 'string',
    pattern: `^${kind}_[0-9a-f]{32}$`,
    example: `${kind}_0198c2f1a4b87c3d9e5f60718293a4b5`,
  } as const;
}
