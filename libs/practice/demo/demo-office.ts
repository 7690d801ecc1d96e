import type { NewStream } from '#event-store/append/append-bulk';
import type { Folded } from '#event-store/events';
import type { DomainEvent } from '#kernel/decider';
import { type Id, newId } from '#kernel/ids';
import { decimal, type Money, text } from '#kernel/money';
import { DisbursementCode, type DisbursementCodeState } from '../disbursement-codes/disbursement-code';
import { ACTIVE_DIVISIONS, Division } from '../divisions/division';
import { MatterType } from '../matter-types/matter-type';
import { noReference } from '../records/record';
import { Supplier } from '../suppliers/supplier';
import type { TaskTypeState } from '../task-types/task-type';
import { requireStandardTax, type Start } from './demo-start';
import type { Names } from './names';
import { company, type Made } from './people';
import { type Cost, costs, type Practice, practices, SMALL_FIRM } from './practices';

/** A department, with the records that its work refers to. */
export interface Department {
  practice: Practice;
  divisionId: string;
  types: { id: string; titles: readonly string[] }[];
  /** Empty when the tenant has none that fit. */
  taskTypes: Folded<TaskTypeState>[];
}

export interface Expense {
  cost: Cost;
  codeId: string;
  code: DisbursementCodeState;
  supplierId: string | null;
}

/** Departments and expenses, which all matters of the firm share. */
export interface Office {
  departments: Department[];
  expenses: Expense[];
}

const SMALL = 2_000;

/** Makes departments, matter types, disbursement codes and their suppliers. */
export function furnish(start: Start, names: Names, items: number, openedAt: Date): Made<Office> {
  const streams: NewStream[] = [];
  const add = (
    definition: NewStream['definition'],
    id: Id,
    data: object,
    counters?: NewStream['counters'],
  ) => {
    const event: DomainEvent = { type: `${nameOf(definition)}Created`, data: { ...data, ...noReference } };
    streams.push({ definition, id, events: [event], recordedAt: openedAt, counters });
    return definition.evolve(undefined, event);
  };
  let { activeDivisions } = start;
  const departments = practices.slice(0, items < SMALL ? SMALL_FIRM : undefined).map((practice) => {
    let divisionId: Id = start.division.id;
    if (practice.division !== null) {
      divisionId = newId('division');
      const division = { code: practice.code, name: practice.division, isDefault: false };
      add(Division, divisionId, division, { [ACTIVE_DIVISIONS]: ++activeDivisions });
    }
    const types = practice.types.map(({ name, retentionYears, titles }) => {
      const id = newId('mattertype');
      add(MatterType, id, { code: null, name, parentId: null, divisionIds: [divisionId], retentionYears });
      return { id, titles };
    });
    return { practice, divisionId, types, taskTypes: taskTypesOf(start, practice) };
  });
  const expenses = costs.map((cost) => {
    const [supplierId, codeId] = [cost.supplier ? newId('supplier') : null, newId('disbursementcode')];
    const taxCodeId = taxCodeOf(start, cost);
    if (supplierId) {
      const { id: entityId, stream } = company(names, start.settings, openedAt, cost.supplier);
      streams.push(stream);
      add(Supplier, supplierId, {
        entityId,
        taxCodeId,
        defaultDisbursementCodeId: null,
        paymentTermsDays: 30,
      });
    }
    const { code, name, kind, expenseCode } = cost;
    const unitAmount = cost.amounts.length === 1 ? money(cost.amounts[0], start) : null;
    const fields = { code, name, kind, taxCodeId, unitAmount, description: null, supplierId, expenseCode };
    return { cost, codeId, supplierId, code: add(DisbursementCode, codeId, fields) };
  });
  return { made: { departments, expenses }, streams };
}

/** An amount in the firm's currency. */
export function money(amount: number, { settings }: Pick<Start, 'settings'>): Money {
  return { amount: text(decimal(amount)), currency: settings.currency };
}

/** The task types of the department's own work, and those of activities that occur in all work. */
function taskTypesOf({ taskTypes }: Start, { tasks }: Practice): Folded<TaskTypeState>[] {
  const isOf = (prefixes: readonly string[]) =>
    taskTypes.filter(
      ({ data }) => data.itemType !== 1 && prefixes.some((prefix) => data.code.startsWith(prefix)),
    );
  return [...isOf(tasks), ...isOf(['A10'])];
}

/** The tenant's code of the category; the Standard code if the tenant has none. */
function taxCodeOf(start: Start, { category }: Cost): string {
  const { taxCodes, settings } = start;
  const own = taxCodes.find(({ data }) => data.category === category && data.scheme === settings.taxScheme);
  return (own ?? requireStandardTax(start)).id;
}

/** The first part of the names of the kind's events. */
function nameOf(definition: NewStream['definition']): string {
  return 'name' in definition ? (definition.name as string) : 'Division';
}
