export { STANDARD_TAX_CODE, TaxCode, type TaxCodeState, THE_STANDARD } from './tax-code';
export { markChargedRates } from './tax-code.charged';
export { markTaxRateUsed, rateInForce, taxRateOn } from './tax-code.rates';
export { createTaxCodes } from './tax-code.start';
