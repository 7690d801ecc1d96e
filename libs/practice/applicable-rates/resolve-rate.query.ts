import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ApiProperty } from '@nestjs/swagger';
import { type Ask, at } from '#event-store/load';
import { Loader } from '#event-store/loader';
import type { Answers } from '#event-store/unit-of-work';
import { DomainError } from '#kernel/errors';
import { type MoneyRecord, moneyRecord } from '#kernel/money';
import { dayGiven } from '#kernel/zone';
import { IdFilter, InstantFilter, WholeNumberFilter } from '#platform/http/input/list-query';
import { data, type Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { Employee } from '../employees/employee.lookup';
import { Matter } from '../matters/matter.lookup';
import { MoneyView, nullableText, referred } from '../records/record';
import { TaskType } from '../task-types/task-type.lookup';
import { settings, settingsOf } from '../tenants/tenant.lookup';
import { rateQuestions, resolveFor } from './rate.lookup';
import { type RateLevel, type RateOutcome, rateLevels, rateOutcomes } from './rate-resolution';

export class RateToResolve {
  @IdFilter('matter', 'The matter that the work is on. Absent for work on no matter.')
  matterId?: string;

  @ApiProperty({ required: true })
  @IdFilter('employee', 'The employee who does the work.')
  employeeId?: string;

  @IdFilter('tasktype', 'The task type of the work.')
  taskTypeId?: string;

  @ApiProperty({ required: true, example: '2025-06-12T00:00:00Z' })
  @InstantFilter(
    "The entry date of the work: a day, or an instant, which stands for its day in the tenant's time zone.",
  )
  date?: string;

  @WholeNumberFilter('0 Timed Fee, 1 Itemised Fee.', { min: 0, max: 1, default: 0 })
  itemType?: 0 | 1;
}

export class RateStepView {
  @ApiProperty({ enum: rateLevels, description: 'Where a rate was looked for.' }) level: RateLevel;
  @ApiProperty({ enum: rateOutcomes, description: 'Whether there was a rate, or why it could not be used.' })
  outcome: RateOutcome;
  @ApiProperty({ ...nullableText, description: 'The record that was examined; null if there was none' })
  recordId: string | null;
  @ApiProperty({
    description: 'The reason for the outcome, as a text for people',
    example: 'none of 12 is for such work',
  })
  detail: string;
}

export class ResolvedRateView {
  @ApiProperty({
    type: MoneyView,
    nullable: true,
    description: 'The rate for one hour (timed fee) or one unit (itemised fee); null if none was found',
  })
  rate: MoneyRecord | null;

  @ApiProperty({
    enum: rateLevels,
    nullable: true,
    description: 'The level at which the rate was found; null if none was found.',
  })
  source: RateLevel | null;

  @ApiProperty({
    type: [RateStepView],
    description: 'The levels that were tried, in order, up to the one that had a rate',
  })
  trace: RateStepView[];
}

export class ResolveRate {
  constructor(
    readonly context: RequestContext,
    readonly query: RateToResolve,
  ) {}
}

/**
 * Resolves the rate that work would get if it were recorded now. The rate is null if no level has one; the recording
 * would then fail. The query asks the same questions as the recording of a work item, so that both always agree.
 * @throws DomainError `invalid_query` (400); `employee_not_found`, `matter_not_found`, `tasktype_not_found` (422)
 */
@QueryHandler(ResolveRate)
export class ResolveRateHandler implements IQueryHandler<ResolveRate> {
  constructor(private readonly loader: Loader) {}

  async execute({ context, query }: ResolveRate): Promise<Reply> {
    const { matterId, employeeId, taskTypeId, date, itemType = 0 } = query;
    if (!employeeId) throw missing('employeeId');
    if (!date) throw missing('date');
    const found = await this.load(context, {
      tenant: settingsOf(context),
      matter: at(Matter, matterId),
      employee: at(Employee, employeeId),
      taskType: at(TaskType, taskTypeId),
      ...rateQuestions({ matterId, employeeId }),
    });
    const { currency, timeZone } = settings(found.tenant);
    const matter = matterId ? referred(found.matter, 'matter', 'matterId') : undefined;
    const taskType = taskTypeId ? referred(found.taskType, 'tasktype', 'taskTypeId') : undefined;
    const employee = referred(found.employee, 'employee', 'employeeId');
    const day = dayGiven(timeZone, date);
    const { rate, source, trace } = resolveFor(
      { itemType, day, currency, matter, employee, taskType },
      found,
    );
    const view: ResolvedRateView = { rate: rate && moneyRecord(rate), source, trace };
    return data(view);
  }

  private async load<Asks extends Record<string, Ask<unknown>>>(
    { tenant }: RequestContext,
    asks: Asks,
  ): Promise<Answers<Asks>> {
    const names = Object.keys(asks);
    const answers = await this.loader.load(
      tenant.id,
      names.map((name) => asks[name]),
    );
    return Object.fromEntries(names.map((name, index) => [name, answers[index]])) as Answers<Asks>;
  }
}

function missing(name: string): DomainError {
  const message = `${name} is required`;
  return new DomainError('malformed', 'invalid_query', message, [
    { pointer: `/${name}`, code: 'required', message },
  ]);
}
