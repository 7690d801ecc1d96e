import type { DomainEvent } from '#kernel/decider';
import { DisbursementCode } from '#practice/disbursement-codes/disbursement-code';
import type {
  DisbursementCodeFields,
  DisbursementKind,
} from '#practice/disbursement-codes/disbursement-code.events';
import { ACTIVE_DIVISIONS, Division } from '#practice/divisions/division';
import type { DivisionFields } from '#practice/divisions/division.events';
import { MatterType } from '#practice/matter-types/matter-type';
import type { MatterTypeFields } from '#practice/matter-types/matter-type.events';
import { noReference } from '#practice/records/record';
import type { SimpleDefinition } from '#practice/records/simple-record';
import { Role } from '#practice/roles/role';
import type { RoleFields } from '#practice/roles/role.events';
import { TaskType } from '#practice/task-types/task-type';
import type { TaskTypeFields } from '#practice/task-types/task-type.events';
import { TaxCode } from '#practice/tax-codes/tax-code';
import type { TaxCategory, TaxCodeFields, TaxRate, TaxScheme } from '#practice/tax-codes/tax-code.events';
import { requireRates } from '#practice/tax-codes/tax-code.rates';
import { ItemType } from '#practice/work-items/work-item.events';
import type { Maker } from './imported-record';
import { amountOf, flagOf, maybeMoney, needed, type Row } from './row';

/** The wanted content of a record that consists of fields only. */
export interface Fields<Of extends object> {
  fields: Of;
}

// biome-ignore lint/suspicious/noExplicitAny: a record of any state
export function created(definition: Pick<SimpleDefinition<any>, 'name'>, fields: object): DomainEvent {
  return { type: `${definition.name}Created`, data: { ...fields, ...noReference } };
}

export const divisions: Maker<Fields<DivisionFields>> = {
  table: 'Division',
  definition: Division,
  wanted: (row) => ({ fields: { code: row.Code, name: needed(row, 'Name'), isDefault: false } }),
  create: ({ fields }, { numbers }) => ({
    events: [{ type: 'DivisionCreated', data: { ...fields, ...noReference } }],
    counters: { [ACTIVE_DIVISIONS]: numbers.count(ACTIVE_DIVISIONS) },
  }),
};

export const matterTypes: Maker<Fields<MatterTypeFields>> = {
  table: 'MatterType',
  definition: MatterType,
  wanted: (row, { ids }) => ({
    fields: {
      code: row.Code,
      name: needed(row, 'Name'),
      parentId: ids.maybeTo('MatterType', row.ParentId),
      divisionIds: [],
      retentionYears: null,
    },
  }),
  create: ({ fields }) => ({ events: [created(MatterType, fields)] }),
};

export const roles: Maker<Fields<RoleFields>> = {
  table: 'Role',
  definition: Role,
  wanted: (row) => ({ fields: { name: needed(row, 'Name'), kind: 'Custom' } }),
  create: ({ fields }) => ({ events: [created(Role, fields)] }),
};

const itemTypes: Record<string, ItemType> = ItemType;

export const taskTypes: Maker<Fields<TaskTypeFields>> = {
  table: 'TaskType',
  definition: TaskType,
  wanted: (row) => ({
    fields: {
      code: needed(row, 'Code'),
      name: needed(row, 'Name'),
      itemType: row.ItemType === null ? null : itemTypes[row.ItemType],
      phaseCode: row.PhaseCode,
      taskCode: row.TaskCode,
      activityCode: row.ActivityCode,
      narration: row.Narration,
      isBillable: flagOf(needed(row, 'IsBillable')),
      rate: null,
    },
  }),
  create: ({ fields }) => ({ events: [created(TaskType, fields)] }),
  learn: (known, id, { fields }) => known.taskType(id, fields),
};

/** Makes tax codes from rows whose `rates` are their TaxRate rows, as JSON, the oldest first. */
export const taxCodes: Maker<Fields<TaxCodeFields>> = {
  table: 'TaxCode',
  definition: TaxCode,
  wanted: (row) => ({
    fields: {
      code: needed(row, 'Code'),
      name: needed(row, 'Name'),
      scheme: needed(row, 'Scheme') as TaxScheme,
      category: needed(row, 'Category') as TaxCategory,
      rates: partsOf(row, 'rates').map(rateOf),
    },
  }),
  create({ fields }) {
    requireRates(fields);
    return { events: [created(TaxCode, fields)] };
  },
  parts: ({ fields }) => ({ TaxRate: fields.rates.length }),
  learn: (known, id, { fields }) => known.taxCode(id, { ...fields, ...noReference, isDeleted: false }),
};

function rateOf(row: Row): TaxRate {
  return { percent: amountOf(needed(row, 'Percent')), from: needed(row, 'FromDate'), to: row.ToDate };
}

export const disbursementCodes: Maker<Fields<DisbursementCodeFields>> = {
  table: 'DisbursementCode',
  definition: DisbursementCode,
  wanted: (row, { ids, settings }) => ({
    fields: {
      code: needed(row, 'Code'),
      name: needed(row, 'Name'),
      kind: row.Kind as DisbursementKind | null,
      taxCodeId: ids.to('TaxCode', needed(row, 'TaxCodeId')),
      unitAmount: maybeMoney(row.UnitAmount, settings.currency),
      description: row.Description,
      supplierId: null,
      expenseCode: null,
    },
  }),
  create: ({ fields }) => ({ events: [created(DisbursementCode, fields)] }),
  learn: (known, id, { fields }) => known.costCode(id, fields),
};

/** The rows that are parts of a row, which the query has collected in one of its columns. */
export function partsOf(row: Row, column: string): Row[] {
  return (row[column] as unknown as Row[] | null) ?? [];
}
