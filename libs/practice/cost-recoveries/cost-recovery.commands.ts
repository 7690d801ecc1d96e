import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, type Written } from '#event-store/event-store';
import type { RequestContext } from '#platform/request-context';
import type { CostRecoveryState } from './cost-recovery';
import type { CostRecoveryInput, CostRecoveryPatch } from './cost-recovery.input';
import { changeCostRecovery, recordCostRecovery } from './cost-recovery.record';

type Done = Promise<Written<CostRecoveryState>>;

export class RecordCostRecovery {
  constructor(
    readonly context: RequestContext,
    readonly body: CostRecoveryInput,
  ) {}
}

@CommandHandler(RecordCostRecovery)
export class RecordCostRecoveryHandler implements ICommandHandler<RecordCostRecovery> {
  constructor(private readonly store: EventStore) {}

  execute({ context, body }: RecordCostRecovery): Done {
    return this.store.execute(context, (work) => recordCostRecovery(work, body));
  }
}

export class UpdateCostRecovery {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly body: CostRecoveryPatch,
  ) {}
}

@CommandHandler(UpdateCostRecovery)
export class UpdateCostRecoveryHandler implements ICommandHandler<UpdateCostRecovery> {
  constructor(private readonly store: EventStore) {}

  execute({ context, id, body }: UpdateCostRecovery): Done {
    return this.store.execute(context, (work) => changeCostRecovery(work, id, body));
  }
}

export const costRecoveryHandlers = [RecordCostRecoveryHandler, UpdateCostRecoveryHandler];
