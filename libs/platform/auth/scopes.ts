import { isPermission } from './permissions';

const everything = '/.default';

/**
 * The scope of the token for the scopes that a client asks for. One scope that ends in `/.default`, or none, means all
 * granted permissions; otherwise the scopes are names of permissions.
 * @returns undefined when the request mixes the two or names an unknown permission (`invalid_scope`)
 */
export function grantScope(asked: readonly string[] | undefined): string[] | undefined {
  if (asked === undefined || asked.length === 0) return [everything];
  if (asked.length === 1 && asked[0].endsWith(everything)) return [asked[0]];
  return asked.every(isPermission) ? [...new Set(asked)] : undefined;
}

/** The granted permissions that a token with this scope may use. */
export function narrow(granted: ReadonlySet<string>, scope: string): ReadonlySet<string> {
  if (scope.endsWith(everything)) return granted;
  return new Set(scope.split(' ').filter((permission) => granted.has(permission)));
}
