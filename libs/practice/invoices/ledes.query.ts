import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import type { Folded } from '#event-store/events';
import { type Ask, at, via } from '#event-store/load';
import { Loader } from '#event-store/loader';
import { conflict } from '#kernel/errors';
import type { Id } from '#kernel/ids';
import { decimal, text } from '#kernel/money';
import { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import type { BillableState } from '../billable/billable';
import { Client } from '../clients/client.lookup';
import { DisbursementCode, type DisbursementCodeState } from '../disbursement-codes/disbursement-code.lookup';
import { Employee, type EmployeeState } from '../employees/employee.lookup';
import { Entity, type EntityState, fullName, sortName } from '../entities/entity.lookup';
import { Matter } from '../matters/matter.lookup';
import { existing } from '../records/record';
import { TaskType, type TaskTypeState } from '../task-types/task-type.lookup';
import { settings, settingsOf } from '../tenants/tenant.lookup';
import { isTimed } from '../work-items/work-item.lookup';
import { Invoice, type InvoiceState, InvoiceStatus } from './invoice';
import type { InvoiceLine } from './invoice.events';
import { definitionOf, isCost, isWork, sourcesOf } from './invoice.sources';
import { taxCodeOf } from './invoice.totals';
import { ledes1998bi } from './ledes/ledes-1998bi';
import type { LedesLine, LedesTimekeeper } from './ledes/ledes-invoice';

export class ExportLedes {
  constructor(
    readonly context: RequestContext,
    readonly id: Id,
  ) {}
}

/** The records that an invoice's lines refer to, directly or through their sources, by id. */
interface Found {
  sources: Map<string, Folded<BillableState>>;
  employees: Map<string, Folded<EmployeeState>>;
  people: Map<string, Folded<EntityState>>;
  taskTypes: Map<string, Folded<TaskTypeState>>;
  codes: Map<string, Folded<DisbursementCodeState>>;
}

/**
 * Exports an invoice as a LEDES 1998BI file.
 * @throws DomainError `invoice_not_issued` (409) for a draft and a voided invoice; the format's own refusals (409)
 */
@QueryHandler(ExportLedes)
export class ExportLedesHandler implements IQueryHandler<ExportLedes> {
  constructor(private readonly loader: Loader) {}

  async execute({ context, id }: ExportLedes): Promise<Reply> {
    const [folded] = await this.loader.load(context.tenant.id, [at(Invoice, id)]);
    const { data } = existing(folded, 'invoice');
    if (data.number === null || data.state === InvoiceStatus.Draft || data.state === InvoiceStatus.Voided)
      throw conflict('invoice_not_issued', 'Only an issued invoice can be exported.');
    const [tenant, matter, client, person] = await this.loader.load(context.tenant.id, [
      settingsOf(context),
      at(Matter, data.matterId),
      at(Client, data.clientId),
      via(Entity, data.clientId, 'entityId'),
    ]);
    const found = await this.found(context, data.lines);
    const firm = settings(tenant);
    const { clientNumber } = client!.data;
    const { addresses, taxNumber } = person!.data;
    const { matterNumber, title } = matter!.data;
    const file = ledes1998bi({
      number: data.number,
      issueDate: data.issueDate!,
      description: null,
      currency: data.currency,
      net: data.net,
      tax: data.tax,
      total: data.total,
      firm: { id: context.tenant.alias, name: firm.firmName, address: null, taxScheme: firm.taxScheme },
      client: {
        id: clientNumber,
        name: fullName(person!.data),
        taxNumber,
        address: addresses[0] ?? null,
        matterReference: null,
      },
      matter: { number: matterNumber, title },
      lines: data.lines.map((line) => ledesLine(line, data, found)),
    });
    return new Reply(200, file, {
      'Content-Type': 'text/plain; charset=us-ascii',
      'Content-Disposition': `attachment; filename="invoice-${id.slice(-12)}.txt"`,
    });
  }

  private async found(context: RequestContext, lines: readonly InvoiceLine[]): Promise<Found> {
    const sources = await this.all(context, sourcesOf(lines), (id) => at(definitionOf(id), id));
    const items = [...sources.values()].filter(isWork);
    const costs = [...sources.values()].filter(isCost);
    const workers = items.map(({ data }) => data.employeeId);
    const [employees, taskTypes, codes] = await Promise.all([
      this.all(context, workers, (id) => at(Employee, id)),
      this.all(
        context,
        items.flatMap(({ data }) => data.taskTypeId ?? []),
        (id) => at(TaskType, id),
      ),
      this.all(
        context,
        costs.map(({ data }) => data.disbursementCodeId),
        (id) => at(DisbursementCode, id),
      ),
    ]);
    const entities = [...employees.values()].map(({ data }) => data.entityId);
    const people = await this.all(context, entities, (id) => at(Entity, id));
    return { sources, employees, people, taskTypes, codes };
  }

  private async all<State extends object>(
    { tenant }: RequestContext,
    ids: readonly string[],
    ask: (id: string) => Ask<Folded<State> | undefined>,
  ): Promise<Map<string, Folded<State>>> {
    const distinct = [...new Set(ids)];
    if (distinct.length === 0) return new Map();
    const answers = await this.loader.load(tenant.id, distinct.map(ask));
    return new Map(answers.flatMap((folded) => (folded ? [[folded.id, folded]] : [])));
  }
}

function ledesLine(line: InvoiceLine, invoice: InvoiceState, found: Found): LedesLine {
  const source = line.sourceId === null ? undefined : found.sources.get(line.sourceId);
  const code = taxCodeOf(line, invoice.taxation);
  const rate = invoice.taxation.rates.find(({ taxCodeId }) => taxCodeId === code);
  const item = source && isWork(source) ? source.data : undefined;
  const task = item?.taskTypeId ? found.taskTypes.get(item.taskTypeId)?.data : undefined;
  const cost = source && isCost(source) ? source.data : undefined;
  const units = decimal(line.units ?? '1');
  return {
    kind: line.kind,
    day: source?.data.entryDay ?? invoice.issueDate!,
    units: text(item && isTimed(item) ? units.mul(item.minutesPerUnit).div(60).toDecimalPlaces(4) : units),
    unitCost: line.rate,
    amount: line.amount,
    taxRate: rate?.percent ?? '0',
    description: line.description ?? line.kind,
    taskCode: task?.taskCode ?? null,
    activityCode: task?.activityCode ?? null,
    expenseCode: cost ? (found.codes.get(cost.disbursementCodeId)?.data.expenseCode ?? null) : null,
    timekeeper: item ? timekeeper(item.employeeId, found) : null,
  };
}

/** The format's classification of a timekeeper without a billing grade. */
const OTHER = 'OTHER';

function timekeeper(employeeId: string, { employees, people }: Found): LedesTimekeeper | null {
  const employee = employees.get(employeeId)?.data;
  const person = employee && people.get(employee.entityId)?.data;
  if (!person) return null;
  return {
    employeeId,
    id: employee.initials?.trim() || employeeId.slice(-12),
    name: sortName(person),
    lastName: person.lastName ?? person.name ?? '',
    firstName: person.firstName ?? '',
    classification: employee.billingGrade ?? OTHER,
  };
}
