import type { Folded } from '#event-store/events';
import { moneyFrom } from '#kernel/money';
import { dayGiven } from '#kernel/zone';
import type { RequestContext } from '#platform/request-context';
import { Employee } from '../employees/employee.lookup';
import { MatterType } from '../matter-types/matter-type.lookup';
import { active } from '../records/record';
import type { SwitchedState } from '../records/simple-record';
import { askEach, type RecordWriting } from '../records/write-record';
import { TaskType } from '../task-types/task-type.lookup';
import { requireBaseCurrency, settings, settingsOf } from '../tenants/tenant.lookup';
import {
  RateSet,
  type RateSetState,
  referencesOf,
  requireDays,
  requireDistinct,
  requireStillDefault,
} from './rate-set';
import { type RateEntry, rateKeys } from './rate-set.events';
import type { RateEntryInput, RateSetInput, RateSetPatch } from './rate-set.input';

const referred = {
  employeeId: { definition: Employee, kind: 'employee' },
  taskTypeId: { definition: TaskType, kind: 'tasktype' },
  matterTypeId: { definition: MatterType, kind: 'mattertype' },
} as const;
const references = Object.keys(referred) as (keyof typeof referred)[];

function asks(context: RequestContext, { entries }: RateSetPatch) {
  const each = references.map((field) =>
    askEach(
      referred[field].definition,
      (entries ?? []).map((entry) => entry[field]).filter((id) => id != null),
    ),
  );
  return { tenant: settingsOf(context), ...(Object.assign({}, ...each) as object) };
}

export const rateSetWriting: RecordWriting<RateSetState, RateSetInput, ReturnType<typeof asks>> = {
  definition: RateSet,
  defaults: { name: '', currency: '', isDefault: false, from: null, to: null, entries: [] },
  asks,
  stored({ from, to, entries }, { tenant }) {
    const { timeZone } = settings(tenant);
    for (const [index, { rate }] of (entries ?? []).entries())
      requireBaseCurrency(rate.Currency, settings(tenant), `entries/${index}/rate/Currency`);
    return {
      ...(from && { from: dayGiven(timeZone, from) }),
      ...(to && { to: dayGiven(timeZone, to) }),
      ...(entries && { entries: entries.map(entryFrom) }),
    };
  },
  check({ given, found, next, before }) {
    // The entries of a request are in the base currency, so the set's currency must be the base currency, too.
    if (given.currency || given.entries)
      requireBaseCurrency(next.currency, settings(found.tenant), 'currency');
    requireDays(next.from, next.to);
    if (before) requireStillDefault(before.data, next.isDefault);
    if (!given.entries) return;
    requireDistinct(next.entries);
    // A reference that the set had before is not checked again.
    const known = new Set(before && referencesOf(before.data.entries));
    for (const [index, entry] of given.entries.entries()) {
      for (const field of references) {
        const id = entry[field];
        if (!id || known.has(id)) continue;
        const record = (found as object as Record<string, Folded<SwitchedState>>)[id];
        active(record, referred[field].kind, `entries/${index}/${field}`);
      }
    }
  },
};

function entryFrom({ rate, per, ...keys }: RateEntryInput): RateEntry {
  const named = rateKeys.filter((key) => keys[key] != null).map((key) => [key, keys[key]]);
  return { rate: moneyFrom(rate).amount, per: per ?? 'Hour', ...Object.fromEntries(named) };
}
