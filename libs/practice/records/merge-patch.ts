import { PartialType } from '@nestjs/swagger';
import { DomainError } from '#kernel/errors';
import { type MoneyRecord, moneyRecord } from '#kernel/money';
import { MoneyInput, RateInput } from '#platform/http/input/fields';

/** Money of a merge patch: an absent member is as it was (RFC 7396 section 2). */
export class MoneyPatch extends PartialType(MoneyInput, { skipNullProperties: false }) {}

/** As the one above, of a rate. */
export class RatePatch extends PartialType(RateInput, { skipNullProperties: false }) {}

/** A body of which every field may be absent, and every member of money. */
export type MergePatch<Body> = {
  [Name in keyof Body]?: NonNullable<Body[Name]> extends MoneyRecord
    ? Partial<MoneyRecord> | Extract<Body[Name], null>
    : Body[Name];
};

const members = ['Amount', 'Currency'] as const;

/**
 * A merge patch with all members of the money that it gives, those that it does not name as the record has them.
 * @param state of the record, with money of the same names
 * @throws DomainError `validation_failed` (422), naming the members that neither has
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
