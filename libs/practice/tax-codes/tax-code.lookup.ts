export { TaxCode, type TaxCodeState } from './tax-code';
export { markTaxRateUsed, taxRateOn } from './tax-code.rates';
export { createTaxCodes } from './tax-code.start';
