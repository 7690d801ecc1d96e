import { InvalidUrl, type TargetRules, Targets } from '../target';

export const production: TargetRules = { allowInsecure: false, allowed: [], development: false };
export const development: TargetRules = { ...production, development: true };
export const insecure: TargetRules = { ...development, allowInsecure: true };

/** The reason why deliveries may not go to a URL; undefined when they may. */
export function reasonOf(url: string, rules = production): string | undefined {
  try {
    new Targets(rules).check(url);
    return undefined;
  } catch (error) {
    if (!(error instanceof InvalidUrl)) throw error;
    expect(error.errors).toEqual([{ pointer: '/url', code: 'invalid_url', message: error.message }]);
    return error.reason;
  }
}
