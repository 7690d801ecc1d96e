export { CostRecovery, type CostRecoveryState } from './cost-recovery';
