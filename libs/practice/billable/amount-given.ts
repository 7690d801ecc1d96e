import { invalid } from '#kernel/errors';
import { type DecimalText, decimal, text } from '#kernel/money';
import type { AmountInput } from '#platform/http/input/amount-field';

/**
 * Parses the value of an `AmountField` into a decimal of the required currency. A bare number is in that currency.
 * @throws DomainError `currency_mismatch` (422)
 */
export function amountGiven(
  value: AmountInput | number | null | undefined,
  currency: string,
  field: string,
): DecimalText | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return text(decimal(value));
  if (value.Currency !== currency)
    throw invalid('currency_mismatch', `${field}: it must be in ${currency}.`, field);
  return text(decimal(value.Amount));
}
