import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApiProperty } from '@nestjs/swagger';
import { EventStore, type Written } from '#event-store/event-store';
import type { Folded } from '#event-store/events';
import { at, via } from '#event-store/load';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { DomainError } from '#kernel/errors';
import type { RequestContext } from '#platform/request-context';
import { Matter, type MatterState, requireOpen } from '../matters/matter.lookup';
import { existing } from '../records/record';
import type { AnyBillable, BillableState } from './billable';
import { finalise } from './billable.transitions';

/** The outcome for one id of a bulk request. */
export class OutcomeView {
  @ApiProperty({ example: 'workitem_0198c2f1a4b87c3d9e5f60718293a4b5' })
  id: string;

  @ApiProperty({ description: 'Whether the record is finalised.' })
  success: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why the record was not finalised: a `code` as in a problem document. Null when it was.',
  })
  code: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The same as a text for people.' })
  reason: string | null;
}

export class FinaliseBillables {
  constructor(
    readonly context: RequestContext,
    readonly definition: AnyBillable,
    readonly ids: string[],
  ) {}
}

/** Finalises all records of a request that can be finalised, in one append, and returns an outcome for each id. */
@CommandHandler(FinaliseBillables)
export class FinaliseBillablesHandler implements ICommandHandler<FinaliseBillables> {
  constructor(private readonly store: EventStore) {}

  execute({
    context,
    definition,
    ids,
  }: FinaliseBillables): Promise<Pick<Written, 'outcome' | 'position' | 'replayed'>> {
    return this.store.executeMany(context, (work) => finaliseAll(work, definition, [...new Set(ids)]));
  }
}

async function finaliseAll(work: UnitOfWork, definition: AnyBillable, ids: string[]): Promise<void> {
  const asks = ids.flatMap((id) => [
    [`record ${id}`, at(definition, id)] as const,
    [`matter ${id}`, via(Matter, id, 'matterId')] as const,
  ]);
  const found = await work.load(Object.fromEntries(asks));
  const outcomes: OutcomeView[] = [];
  for (const id of ids) {
    try {
      const record = existing(found[`record ${id}`] as Folded<BillableState> | undefined, definition.kind);
      const events = finalise(definition, record.data);
      if (events.length > 0) requireOpen(found[`matter ${id}`] as Folded<MatterState> | undefined);
      work.change(definition, record, events);
      outcomes.push({ id, success: true, code: null, reason: null });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      outcomes.push({ id, success: false, code: error.code, reason: error.detail });
    }
  }
  work.outcome = outcomes;
}
