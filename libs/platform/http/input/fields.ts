import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsDefined,
  IsEmail,
  IsIn,
  IsInt,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { isId, type Kind, kindOf } from '#kernel/ids';
import { decimal } from '#kernel/money';
import { idSchema } from './id-schema';

/** Fields of a request: each decorator both checks a property and describes it in the API description. */
export interface FieldOptions {
  /**
   * Absent and null are refused. Otherwise both are allowed: absent means unset, in a PATCH unchanged; null means
   * unset.
   */
  required?: boolean;
  description?: string;
  example?: unknown;
}

/** Matches a text that is not only white space. */
export const NOT_BLANK = /\S/;

/** Declares a property as a field, with what every field has and with checks of its own. */
export function field(
  options: FieldOptions,
  api: ApiPropertyOptions,
  ...checks: PropertyDecorator[]
): PropertyDecorator {
  const { required = false, description, example } = options;
  const presence = required
    ? IsDefined({ message: '$property is required' })
    : ValidateIf((_object, value) => value !== undefined && value !== null);
  const documented = { description, example, required, nullable: !required, ...api } as ApiPropertyOptions;
  return applyDecorators(ApiProperty(documented), presence, ...checks);
}

export interface TextOptions extends FieldOptions {
  /** Longest length in characters; default 200. */
  max?: number;
  /** The expression that the text must match, and how a refusal describes it: `must be <form>`. */
  pattern?: { expression: RegExp; form: string };
  /** Refuses white space alone. A required text always does. */
  notBlank?: boolean;
}

export function TextField(options: TextOptions = {}): PropertyDecorator {
  const { max = 200, pattern, notBlank = options.required } = options;
  const checks = [
    IsString({ message: '$property must be a text' }),
    MaxLength(max, { message: `$property must be at most ${max} characters` }),
  ];
  if (notBlank) checks.push(Matches(NOT_BLANK, { message: '$property must not be blank' }));
  if (pattern) checks.push(Matches(pattern.expression, { message: `$property must be ${pattern.form}` }));
  const described = pattern?.expression ?? (notBlank ? NOT_BLANK : undefined);
  return field(options, { type: String, maxLength: max, pattern: described?.source }, ...checks);
}

export function EmailField(): PropertyDecorator {
  return field(
    { example: 'ada@example.com' },
    { type: String, format: 'email', maxLength: 254 },
    MaxLength(254),
    IsEmail({}, { message: '$property must be an e-mail address' }),
  );
}

/** An id of one kind, or of one of several, `<kind>_<32 lowercase hex>`. */
export function IdField(kind: Kind | readonly Kind[], options: FieldOptions = {}): PropertyDecorator {
  const kinds = [kind].flat();
  const isIdOf = ValidateBy({
    name: 'isIdOf',
    validator: {
      validate: (value: unknown) => kinds.some((one) => isId(one, value)),
      defaultMessage: (args) => idMessage(args!.property, kinds, args!.value),
    },
  });
  return field(options, idSchema(...kinds), isIdOf);
}

function idMessage(property: string, kinds: Kind[], value: unknown): string {
  const other = kindOf(value);
  return other
    ? `${property} must be an id of the kind ${kinds.join(' or ')} (${kinds[0]}_…), not ${other}`
    : `${property} must be an id of the form ${kinds.join(' or ')}_<32 lowercase hex digits>`;
}

export function FlagField(options: FieldOptions = {}): PropertyDecorator {
  return field(options, { type: Boolean }, IsBoolean({ message: '$property must be true or false' }));
}

export interface NumberOptions extends FieldOptions {
  min?: number;
  max: number;
  /** Digits after the point; default 0. */
  decimals?: number;
}

/** How many digits a number of JSON keeps exactly, whatever they are: it is read as a double (RFC 8259, section 6). */
export const EXACT_DIGITS = 15;

/** Whether a value is a number with at most so many digits after the point, none of which was lost as JSON was read. */
export function isExactNumber(value: unknown, decimals: number): boolean {
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  const exact = decimal(value);
  return exact.decimalPlaces() <= decimals && exact.precision() <= EXACT_DIGITS;
}

/** How many digits a number up to `max` may have, in words for its writer. */
export function digitsAllowed(max: number, decimals: number): string {
  const limits = String(max).length + decimals > EXACT_DIGITS ? ` and ${EXACT_DIGITS} digits in all` : '';
  return `at most ${decimals} decimals${limits}`;
}

export function NumberField(options: NumberOptions): PropertyDecorator {
  const { min = 0, max, decimals = 0 } = options;
  // No keyword of a schema says how many digits a number may have.
  const description = [options.description, `It may have ${digitsAllowed(max, decimals)}.`].join(' ').trim();
  // Generators of clients use 32 bits for an integer without a format.
  const format = decimals === 0 && max >= 2 ** 31 ? 'int64' : undefined;
  const kind =
    decimals === 0
      ? IsInt({ message: '$property must be a whole number' })
      : ValidateBy({
          // class-validator's own check of decimals throws on 1e-7.
          name: 'isNumber',
          validator: {
            validate: (value: unknown) => isExactNumber(value, decimals),
            defaultMessage: (args) => `${args!.property} must be a number of ${digitsAllowed(max, decimals)}`,
          },
        });
  return field(
    decimals === 0 ? options : { ...options, description },
    { type: decimals === 0 ? 'integer' : 'number', format, minimum: min, maximum: max },
    kind,
    Min(min, { message: `$property must be at least ${min}` }),
    Max(max, { message: `$property must be at most ${max}` }),
  );
}

export function ChoiceField(
  values: readonly (string | number)[],
  options: FieldOptions = {},
): PropertyDecorator {
  return field(
    options,
    { type: typeof values[0] === 'number' ? 'integer' : 'string', enum: [...values] },
    IsIn(values, { message: `$property must be one of ${values.join(', ')}` }),
  );
}

const currencies = new Set(Intl.supportedValuesOf('currency'));

export function isCurrency(value: unknown): boolean {
  return typeof value === 'string' && currencies.has(value);
}

/** An ISO 4217 code. */
export function CurrencyField(options: FieldOptions = {}): PropertyDecorator {
  const check = ValidateBy({
    name: 'currency',
    validator: {
      validate: isCurrency,
      defaultMessage: (args) => `${args!.property} must be a currency code such as GBP`,
    },
  });
  return field({ example: 'GBP', ...options }, { type: String, pattern: '^[A-Z]{3}$' }, check);
}

/**
 * Requires that every object is an instance of the DTO class: nested validation alone takes a list for an object, and a
 * list of lists for a list.
 */
export function instances(dto: () => new () => object, message: string, each: boolean): PropertyDecorator {
  const isOne = (value: unknown) => value instanceof dto();
  return ValidateBy({
    name: 'notAnObject',
    validator: {
      validate: (value: unknown) => (each ? Array.isArray(value) && value.every(isOne) : isOne(value)),
      defaultMessage: (args) => `${args!.property} ${message}`,
    },
  });
}

/** A nested object with a DTO class of its own. */
export function ObjectField(dto: () => new () => object, options: FieldOptions = {}): PropertyDecorator {
  const isObject = instances(dto, 'must be an object', false);
  // Nest's Swagger module takes a function for one that returns a class only when its name is `type`.
  return field(options, { type: () => dto() }, isObject, ValidateNested(), Type(dto));
}

/** The largest amount: 11 digits before the point, so that no digit is lost in a JSON number. */
export const LARGEST_AMOUNT = 99_999_999_999;

/** The largest price of an hour or a unit, which may be the whole of a fixed fee. */
export const LARGEST_RATE = 999_999_999;

/** The largest number of units of work, costs and lines. */
export const LARGEST_UNITS = 9_999_999;

/** The descriptions of the two fields of money. */
export const MAJOR_UNIT = 'In the major unit of the currency, such as pounds.';
export const CURRENCY = 'The currency code (ISO 4217).';

/** Money as clients write it (● capitalised names), to 4 decimals. */
export class MoneyInput {
  @NumberField({
    required: true,
    min: 0,
    max: LARGEST_AMOUNT,
    decimals: 4,
    example: 1250.5,
    description: MAJOR_UNIT,
  })
  Amount: number;

  @CurrencyField({ required: true, description: CURRENCY })
  Currency: string;
}

/** A price for an hour or a unit, to 10 decimals and 15 digits in all. */
export class RateInput {
  @NumberField({
    required: true,
    min: 0,
    max: LARGEST_RATE,
    decimals: 10,
    example: 250,
    description: MAJOR_UNIT,
  })
  Amount: number;

  @CurrencyField({ required: true, description: CURRENCY })
  Currency: string;
}
