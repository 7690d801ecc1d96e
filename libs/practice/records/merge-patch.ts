import { PartialType } from '@nestjs/swagger';
import { DomainError } from '#kernel/errors';
import { type MoneyRecord, moneyRecord } from '#kernel/money';
import { MoneyInput, RateInput } from '#platform/http/input/fields';

/** Money in a merge patch: an absent member stays as it is (RFC 7396, section 2). */
export class MoneyPatch extends PartialType(MoneyInput, { skipNullProperties: false }) {}

/** A rate in a merge patch: an absent member stays as it is. */
export class RatePatch extends PartialType(RateInput, { skipNullProperties: false }) {}

/** A body in which every field, and every member of money, may be absent. */
export type MergePatch<Body> = {
  [Name in keyof Body]?: NonNullable<Body[Name]> extends MoneyRecord
    ? Partial<MoneyRecord> | Extract<Body[Name], null>
    : Body[Name];
};

const members = ['Amount', 'Currency'] as const;

/**
 * Completes the money of a merge patch: members that the patch leaves out are taken from the record.
 * @param state the record's state, which has money under the same names
 * @throws DomainError `validation_failed` (422), which names the members that both lack
 */
export function completed<Body extends object>(patch: MergePatch<Body>, state: object): Partial<Body> {
  const fields = Object.entries(patch).map(([name, value]) => {
    const isMoney = value instanceof MoneyPatch || value instanceof RatePatch;
    return [name, isMoney ? completeMoney(name, value, state[name as keyof typeof state]) : value];
  });
  return Object.fromEntries(fields);
}

function completeMoney(
  field: string,
  given: Partial<MoneyRecord>,
  before: Parameters<typeof moneyRecord>[0] | null,
): MoneyRecord {
  const whole = { ...(before && moneyRecord(before)), ...given };
  const errors = members
    .filter((name) => whole[name] === undefined)
    .map((name) => ({ pointer: `/${field}/${name}`, code: 'required', message: `${name} is required` }));
  if (errors.length > 0) {
    const detail = errors.map(({ message }) => message).join('; ');
    throw new DomainError('invalid', 'validation_failed', detail, errors);
  }
  return whole as MoneyRecord;
}
