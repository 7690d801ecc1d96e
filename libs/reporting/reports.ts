import { Injectable } from '@nestjs/common';
import { GraphQLError } from 'graphql';
import { tableOf } from '#practice/records/state-table';
import type { Report } from './columns/report';
import type { Restrictions } from './condition';
import type { Given } from './criteria/criteria';
import { type Expression, isNumber } from './expression';
import { failure } from './graphql/failure';
import type { ReportContext, ReportNotes } from './graphql/report-context';
import { MAXIMUM_PIVOT_FIELDS, mostRows, type PivotField, pivotFields } from './pivots';
import { type Plan, planOfOneCurrency, planRows } from './plan';
import { refused } from './refusal';
import { type Ask, NotAsAssumed, ReportStatements } from './report-statements';
import { isAggregated, readSlice, type Slice } from './slice/slice';
import type { AggregationSliceSpecInput } from './slice/slice.input';
import { describe, type Over, type Source, sourcesFor } from './sources/source';
import { SourceChoice } from './sources/source-choice';
import type { Scope } from './sql/building';
import { countDemand, countQuery, pivotDemand, pivotQuery, rowsDemand, rowsQuery } from './sql/query';
import { CalendarChanged, calendarText, type TenantCalendar, TenantCalendars } from './tenant-calendar';
import { withinGroups } from './within-groups';

export interface ReportRequest {
  report: Report;
  over(calendar: TenantCalendar): Restrictions;
  slice: Given<AggregationSliceSpecInput>;
  context: ReportContext;
  /** The name of the query's field in the answer. */
  field: string;
}

interface Assumptions extends Pick<Scope, 'addsAs'> {
  /** All rows of the tenant are of one currency. */
  oneCurrency: boolean;
}

type Asked = Scope & Assumptions & { ask: Ask };

/** SQLSTATE numeric_value_out_of_range. */
const OUT_OF_RANGE = '22003';

interface Answer {
  /** JSON texts separated by commas. */
  rows: string;
  notes: ReportNotes;
}

/** Answers a request for any report: slice → plan → SQL → rows. */
@Injectable()
export class Reports {
  /** Tenants that have turned out to have rows of several currencies. */
  private readonly withSeveralCurrencies = new Set<number>();

  constructor(
    private readonly statements: ReportStatements,
    private readonly calendars: TenantCalendars,
    private readonly choice: SourceChoice,
  ) {}

  /** Returns a placeholder for the rows of a slice, and puts the metadata about them into the context's notes. */
  async run(request: ReportRequest): Promise<unknown[]> {
    const { context, field } = request;
    try {
      const { rows, notes } = await this.current(request);
      context.notes[field] = notes;
      return context.answer.standIn(rows);
    } catch (error) {
      throw failure(error, context.request.correlationId);
    }
  }

  /**
   * Answers by the tenant's calendar as it is now. The cached calendar is verified by the query that reads the rows,
   * and before a request is refused: if it has changed, the request is answered again.
   */
  private async current(request: ReportRequest): Promise<Answer> {
    const tenantId = request.context.request.tenant.id;
    let calendar = this.calendars.known(tenantId) ?? (await this.calendars.of(tenantId));
    for (;;) {
      try {
        return await this.answer(request, calendar);
      } catch (error) {
        const isRefused = error instanceof GraphQLError && !request.context.gone.aborted;
        if (!isRefused && !(error instanceof CalendarChanged)) throw error;
        const now = await this.calendars.of(tenantId);
        if (isRefused && calendarText(calendar) === calendarText(now)) throw error;
        calendar = now;
      }
    }
  }

  /**
   * Answers on the assumptions that make a report fast and nearly always hold. The queries notice if one does not, and
   * the report is asked once more without it.
   */
  private async answer(
    request: ReportRequest,
    calendar: TenantCalendar,
    assumed: Assumptions = this.assumptionsFor(request),
  ): Promise<Answer> {
    try {
      return await this.answerAssuming(assumed, request, calendar);
    } catch (error) {
      if (error instanceof NotAsAssumed) {
        this.withSeveralCurrencies.add(request.context.request.tenant.id);
        return this.answer(request, calendar, { ...assumed, oneCurrency: false });
      }
      if (assumed.addsAs !== 'bigint' || (error as { code?: string })?.code !== OUT_OF_RANGE) throw error;
      return this.answer(request, calendar, { ...assumed, addsAs: 'numeric' });
    }
  }

  private assumptionsFor({ context }: ReportRequest): Assumptions {
    return { addsAs: 'bigint', oneCurrency: !this.withSeveralCurrencies.has(context.request.tenant.id) };
  }

  private async answerAssuming(
    { addsAs, oneCurrency }: Assumptions,
    request: ReportRequest,
    calendar: TenantCalendar,
  ): Promise<Answer> {
    const { report, context } = request;
    const slice = readSlice(request.slice, report);
    const reader = { tenantId: context.request.tenant.id, gone: context.gone };
    const over = { report, ...request.over(calendar) };
    const scope = { ...this.scope(reader.tenantId, calendar), addsAs, oneCurrency };
    const read = (ask: Ask) => this.read(over, slice, context, { ...scope, ask });
    // One snapshot: rows written between the two queries would otherwise have no pivot field, or leave a field empty.
    if (slice.pivots.length > 0) return this.statements.atOneMoment(tablesOf(report), reader, read);
    return read((query) => this.statements.rows(query, reader));
  }

  private scope(tenantId: number, { zone, financialYearStart }: TenantCalendar) {
    const { deepFrom, manyKeys, mostBytes } = this.choice;
    return { tenantId, zone, financialYearStart, deepFrom, manyKeys, mostBytes };
  }

  private async read(over: Over, slice: Slice, { explains }: ReportContext, scope: Asked): Promise<Answer> {
    const pivoted = slice.pivots.length > 0 ? await this.pivot(over, slice, scope) : [];
    const planned = planRows(withinGroups(over, slice, scope.financialYearStart), slice, pivoted);
    const plan = scope.oneCurrency ? planOfOneCurrency(planned) : planned;
    const source = this.choice.of(sourcesFor(plan, rowsDemand(plan)));
    const { rows, lastRow } = await this.page(plan, source, scope, mostRows(pivoted, scope.mostBytes));
    const notes = {
      lastRow,
      pivotResultFields: pivoted.map(({ name, keys, colId }) => ({ field: name, keys, colId })),
      ignoredSort: plan.ignoredSort,
      ...(explains && { plan: describe(source) }),
    };
    return { rows, notes };
  }

  /**
   * @param most maximum number of rows whose field names alone stay within the size limit of an answer: no more are
   * read
   */
  private async page(
    plan: Plan,
    source: Source,
    scope: Asked,
    most: number,
  ): Promise<{ rows: string; lastRow: number }> {
    const asked = plan.end - plan.start;
    const span = Math.min(asked, most);
    const part = { ...plan, end: plan.start + span };
    const [[calendar, count, mixed, json, fitting]] = await scope.ask(rowsQuery(part, source, scope));
    if (calendar !== calendarText(scope)) throw new CalendarChanged();
    if (span === 0) return { rows: '', lastRow: -1 };
    if (mixed === 't' && plan.needsOneCurrency)
      throw new NotAsAssumed('The tenant has rows of several currencies.');
    if (mixed === 't')
      throw refused(
        'MIXED_CURRENCY',
        plan.mixesCurrencies!,
        'Amounts of several currencies cannot be added up. Group by currency, or ask for one currency.',
      );
    const found = Number(count);
    if (Number(fitting) < Math.min(found, asked))
      throw refused(
        'SLICE_TOO_LARGE',
        'slice.endRow',
        `The rows from startRow on are so long that at most ${fitting} can be requested at once.`,
      );
    const rows = json ?? '';
    if (found > span) return { rows, lastRow: -1 };
    const isPast = found === 0 && plan.start > 0;
    // Rows that were added since the page was read must not count, because the page does not show them.
    const lastRow = isPast ? Math.min(await this.count(plan, scope), plan.start) : plan.start + found;
    return { rows, lastRow };
  }

  private async count(plan: Plan, scope: Asked): Promise<number> {
    const source = this.choice.of(sourcesFor(plan, countDemand(plan)));
    return Number((await scope.ask(countQuery(plan, source, scope)))[0][0]);
  }

  private async pivot(over: Over, slice: Slice, scope: Asked): Promise<PivotField[]> {
    const aggregates = slice.cols.filter(isAggregated).length;
    const limit = Math.floor(MAXIMUM_PIVOT_FIELDS / aggregates);
    const source = this.choice.of(sourcesFor(over, pivotDemand(over, slice.pivots)));
    const found = await scope.ask(pivotQuery(over, slice.pivots, limit + 1, source, scope));
    if (found.length > limit)
      throw refused(
        'PIVOT_TOO_WIDE',
        'slice.pivots',
        `The pivots make more than ${MAXIMUM_PIVOT_FIELDS} fields: narrow the criteria, or pivot by fewer columns.`,
      );
    const combinations = found.map((values) => ({
      shown: slice.pivots.map((column, index) => readValue({ kind: 'value', column }, values[index])),
      exact: values.slice(slice.pivots.length),
    }));
    return pivotFields(slice, combinations);
  }
}

function tablesOf({ projection, derived, joins }: Report): string[] {
  const tables = [projection, ...joins.map((join) => join.projection)].map(tableOf);
  return [...new Set([...tables, derived.rollup.name, ...(derived.facts ? [derived.facts.name] : [])])];
}

function readValue(expression: Expression, value: string | null): unknown {
  if (value === null) return null;
  if (isNumber(expression)) return Number(value);
  if (expression.column.type === 'boolean') return value === 't';
  return expression.column.type === 'id' ? value.replaceAll('-', '') : value;
}
