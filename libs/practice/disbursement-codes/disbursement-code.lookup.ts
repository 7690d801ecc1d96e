export { DisbursementCode, type DisbursementCodeState } from './disbursement-code';
