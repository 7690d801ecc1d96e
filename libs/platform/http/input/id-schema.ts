import type { Kind } from '#kernel/ids';

/** The schema of an id of one kind, or of one of several, in the API description. */
export function idSchema(...kinds: Kind[]) {
  const prefix = kinds.length === 1 ? kinds[0] : `(${kinds.join('|')})`;
  return {
    type: 'string',
    pattern: `^${prefix}_[0-9a-f]{32}$`,
    example: `${kinds[0]}_0198c2f1a4b87c3d9e5f60718293a4b5`,
  } as const;
}
