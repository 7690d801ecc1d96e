import type { Area } from '../records/area';
import { CostRecoveriesReadController, CostRecoveriesWriteController } from './cost-recoveries.controllers';
import { CostRecovery } from './cost-recovery';
import { costRecoveryHandlers } from './cost-recovery.commands';
import { costRecoveriesProjection } from './cost-recovery.projection';

export const costRecoveriesArea: Area = {
  definition: CostRecovery,
  write: {
    controllers: [CostRecoveriesWriteController],
    handlers: costRecoveryHandlers,
  },
  read: { controllers: [CostRecoveriesReadController] },
  projections: [costRecoveriesProjection],
};
