import { ApplicableRate, requireSound } from '#practice/applicable-rates/applicable-rate';
import type { ApplicableRateFields, Scope } from '#practice/applicable-rates/applicable-rate.events';
import { RateSet, requireDistinct } from '#practice/rate-sets/rate-set';
import type { Per, RateEntry, RateKeys, RateSetFields } from '#practice/rate-sets/rate-set.events';
import { noReference } from '#practice/records/record';
import type { Ground, Maker } from './imported-record';
import { created, type Fields, partsOf } from './reference-records';
import { amountOf, flagOf, moneyOf, needed, type Row } from './row';

/** Makes rate sets from rows whose `entries` are their RateSetEntry rows, as JSON, in the order of their keys. */
export const rateSets: Maker<Fields<RateSetFields>> = {
  table: 'RateSet',
  definition: RateSet,
  wanted: (row, ground) => ({
    fields: {
      name: needed(row, 'Name'),
      currency: needed(row, 'Currency'),
      isDefault: flagOf(needed(row, 'IsDefault')),
      from: null,
      to: null,
      entries: partsOf(row, 'entries').map((entry) => entryOf(entry, ground)),
    },
  }),
  create({ fields }, { keepsDefaultRates }) {
    requireDistinct(fields.entries);
    const isDefault = fields.isDefault && !keepsDefaultRates;
    return { events: [created(RateSet, { ...fields, isDefault })] };
  },
  parts: ({ fields }) => ({ RateSetEntry: fields.entries.length }),
};

function entryOf(row: Row, { ids }: Ground): RateEntry {
  const { BillingGrade: billingGrade, JobTitle: jobTitle } = row;
  const keys = {
    employeeId: ids.maybeTo('Employee', row.EmployeeId),
    taskTypeId: ids.maybeTo('TaskType', row.TaskTypeId),
    billingGrade,
    jobTitle,
    matterTypeId: ids.maybeTo('MatterType', row.MatterTypeId),
  };
  const named = Object.entries(keys).filter(([, value]) => value !== null);
  const rate = { rate: amountOf(needed(row, 'Rate')), per: needed(row, 'Per') as Per };
  return { ...rate, ...(Object.fromEntries(named) as RateKeys) };
}

export const applicableRates: Maker<Fields<ApplicableRateFields>> = {
  table: 'ApplicableRate',
  definition: ApplicableRate,
  wanted(row, { ids, settings }) {
    const scope = needed(row, 'Scope') as Scope;
    return {
      fields: {
        scope,
        scopeId: ids.to(scope, needed(row, 'ScopeId')),
        rate: moneyOf(needed(row, 'Rate'), settings.currency),
        per: needed(row, 'Per') as Per,
        employeeId: ids.maybeTo('Employee', row.EmployeeId),
        billingGrade: row.BillingGrade,
        taskTypeId: ids.maybeTo('TaskType', row.TaskTypeId),
        effectiveFrom: needed(row, 'EffectiveFrom'),
        effectiveTo: row.EffectiveTo,
      },
    };
  },
  create({ fields }) {
    const event = created(ApplicableRate, fields);
    requireSound({ ...fields, isDeleted: false, ...noReference }, undefined);
    return { events: [event] };
  },
};
