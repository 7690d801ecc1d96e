export { DisbursementCode } from './disbursement-code';
