import { applyDecorators } from '@nestjs/common';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';
import type { MoneyRecord } from '#kernel/money';
import {
  CURRENCY,
  digitsAllowed,
  field,
  isCurrency,
  isExactNumber,
  LARGEST_AMOUNT,
  MAJOR_UNIT,
  type NumberOptions,
} from './fields';

/** Money as AmountField accepts it. */
export class AmountInput implements MoneyRecord {
  Amount: number;
  Currency: string;
}

/**
 * An amount: money (● capitalised names), or a number alone, which is in the currency of the record that it belongs to.
 */
export function AmountField(options: Partial<NumberOptions> = {}): PropertyDecorator {
  const { min = 0, max = LARGEST_AMOUNT, decimals = 4 } = options;
  const isNumber = (value: unknown) =>
    isExactNumber(value, decimals) && Number(value) >= min && Number(value) <= max;
  const isMoney = (value: AmountInput) =>
    Object.keys(value).sort().join() === 'Amount,Currency' &&
    isNumber(value.Amount) &&
    isCurrency(value.Currency);
  const isAmount = ValidateBy({
    name: 'amount',
    validator: {
      validate: (value: unknown) => (value instanceof AmountInput ? isMoney(value) : isNumber(value)),
      defaultMessage: (args) =>
        `${args!.property} must be {Amount, Currency}, or a number, from ${min} to ${max} with ${digitsAllowed(max, decimals)}`,
    },
  });
  const money = Transform(({ value }) =>
    value !== null && typeof value === 'object' ? Object.assign(new AmountInput(), value) : value,
  );
  // An amount may be given to the minor unit of its currency, which its command checks; other decimals are a rate's.
  const digits = options.decimals
    ? `It may have ${digitsAllowed(max, decimals)}.`
    : 'It may have as many decimals as the currency has.';
  const number = { type: 'number', minimum: min, maximum: max, description: digits } as const;
  const currency = { type: 'string', pattern: '^[A-Z]{3}$', example: 'GBP', description: CURRENCY } as const;
  const object = {
    type: 'object',
    required: ['Amount', 'Currency'],
    properties: { Amount: { ...number, description: `${MAJOR_UNIT} ${digits}` }, Currency: currency },
  } as const;
  const shown = { example: { Amount: 120, Currency: 'GBP' }, ...options };
  // OpenAPI 3.0 allows `nullable` only beside a type.
  const api = { nullable: undefined, oneOf: [object, { ...number, nullable: !options.required }] };
  return applyDecorators(field(shown, api as ApiPropertyOptions, isAmount), money);
}
