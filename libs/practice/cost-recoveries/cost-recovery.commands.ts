import { ChangeCommand, CreateCommand, handlerOf } from '../records/command';
import type { CostRecoveryInput, CostRecoveryPatch } from './cost-recovery.input';
import { changeCostRecovery, recordCostRecovery } from './cost-recovery.record';

export class RecordCostRecovery extends CreateCommand<CostRecoveryInput> {}

export const RecordCostRecoveryHandler = handlerOf(RecordCostRecovery, (work, { body }) =>
  recordCostRecovery(work, body),
);

export class UpdateCostRecovery extends ChangeCommand<CostRecoveryPatch> {}

export const UpdateCostRecoveryHandler = handlerOf(UpdateCostRecovery, (work, { id, body }) =>
  changeCostRecovery(work, id, body),
);

export const costRecoveryHandlers = [RecordCostRecoveryHandler, UpdateCostRecoveryHandler];
