import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  IsBoolean,
  IsIn,
  IsInt,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateBy,
  ValidateIf,
} from 'class-validator';
import { DateTime } from 'luxon';
import { isId, type Kind } from '#kernel/ids';
import { idSchema } from './id-schema';

/**
 * Declares a query parameter. Parameters arrive as texts; a repeated one arrives as a list, which no parameter accepts.
 */
function parameter(description: string, api: object, ...checks: PropertyDecorator[]): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ description, ...api }),
    ValidateIf((_object, value) => value !== undefined),
    ...checks,
  );
}

const asNumber = Transform(({ value }) =>
  typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value,
);
const asBoolean = Transform(({ value }) => (value === 'true' ? true : value === 'false' ? false : value));
/** Adds the colon to an instant's offset: Python's strftime, and with it many clients, writes the offset as +0000. */
const withColonInOffset = Transform(({ value }) =>
  typeof value === 'string' ? value.replace(/(:\d{2}(?:\.\d{1,9})?[+-]\d{2})(\d{2})$/, '$1:$2') : value,
);
const asList = Transform(({ value }) => (typeof value === 'string' ? value.split(',') : value));

const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))?$/;

export function WholeNumberFilter(
  description: string,
  range: { min: number; max: number; default?: number },
): PropertyDecorator {
  const { min, max } = range;
  return parameter(
    description,
    { type: 'integer', minimum: min, maximum: max, default: range.default },
    asNumber,
    IsInt({ message: '$property must be a whole number' }),
    Min(min, { message: `$property must be at least ${min}` }),
    Max(max, { message: `$property must be at most ${max}` }),
  );
}

export function FlagFilter(description: string): PropertyDecorator {
  return parameter(
    description,
    { type: Boolean },
    asBoolean,
    IsBoolean({ message: '$property must be true or false' }),
  );
}

export function TextFilter(description: string, max = 200): PropertyDecorator {
  return parameter(
    description,
    { type: String, maxLength: max },
    IsString({ message: '$property may be given once' }),
    MaxLength(max, { message: `$property must be at most ${max} characters` }),
    Matches(/^[^\0]*$/, { message: '$property must not hold a NUL' }),
  );
}

export function ChoiceFilter(description: string, values: readonly string[]): PropertyDecorator {
  return parameter(description, { enum: [...values] }, isOneOf(values));
}

function isOneOf(values: readonly string[]): PropertyDecorator {
  return IsIn(values, { message: `$property must be one of ${values.join(', ')}` });
}

/** A field by which a list can be sorted. */
export function SortFilter(fields: readonly string[]): PropertyDecorator {
  const values = fields.flatMap((name) => [name, `-${name}`]);
  // Names for generated enums: a constant called `name` does not compile in Kotlin, whose enums all have a `name`.
  const constants = fields.map(constantCase).flatMap((name) => [name, `DESC_${name}`]);
  return parameter(
    'Field to sort by. A `-` in front of its name sorts in descending order.',
    { schema: { type: 'string', enum: values, 'x-enum-varnames': constants } },
    isOneOf(values),
  );
}

function constantCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, '_$&').toUpperCase();
}

export function InstantFilter(description: string): PropertyDecorator {
  return parameter(
    description,
    { type: String, format: 'date-time' },
    withColonInOffset,
    Matches(INSTANT, { message: '$property must be an ISO 8601 date or timestamp' }),
    ValidateBy({
      name: 'instant',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && isInTheCalendar(value),
        defaultMessage: (args) => `${args!.property} must be an ISO 8601 date or timestamp`,
      },
    }),
  );
}

/** Whether a day exists. Date.parse takes the 30th of February for the 2nd of March, and PostgreSQL has no year 0. */
function isInTheCalendar(text: string): boolean {
  const at = DateTime.fromISO(text, { zone: 'utc' });
  return at.isValid && at.year > 0;
}

function ids(kinds: readonly Kind[], each: boolean): PropertyDecorator {
  const isOne = (value: unknown) => kinds.some((kind) => isId(kind, value));
  return ValidateBy({
    name: 'isIdOf',
    validator: {
      validate: (value: unknown) => (each ? Array.isArray(value) && value.every(isOne) : isOne(value)),
      defaultMessage: (args) =>
        `${args!.property} must be of the form ${kinds.join(' or ')}_<32 lowercase hex digits>`,
    },
  });
}

/** An id of one kind, or of one of several. */
export function IdFilter(kind: Kind | readonly Kind[], description: string): PropertyDecorator {
  const kinds = [kind].flat();
  const { type, pattern } = idSchema(...kinds);
  return parameter(description, { type, pattern }, ids(kinds, false));
}

/** Ids of the area's own kind, separated by commas. */
export function IdsFilter(kind: Kind): PropertyDecorator {
  return parameter(
    'Only these records: ids separated by commas, at most 200.',
    { type: String, pattern: `^${kind}_[0-9a-f]{32}(,${kind}_[0-9a-f]{32})*$` },
    asList,
    ArrayMaxSize(200, { message: '$property may hold at most 200 ids' }),
    ids([kind], true),
  );
}

/** The value of `changedAfter` that comes before every change. */
export const SYNC_START = 'start';

/** The parameters of every list. An area adds its own filters, and the fields by which it can be sorted. */
export class ListQuery {
  @WholeNumberFilter(
    'Page number. The first page is 0. A record that changes between two requests can move other records to another ' +
      'page, so that both requests miss them. `changedAfter` misses none.',
    { min: 0, max: 10_000_000, default: 0 },
  )
  pageIndex?: number;

  @WholeNumberFilter('Rows per page.', { min: 1, max: 200, default: 50 })
  pageSize?: number;

  @TextFilter(
    'Words, or beginnings of words, all of which the record must contain. A word is a run of letters and digits. ' +
      'Punctuation alone is ignored: it excludes no record.',
  )
  keywords?: string;

  @InstantFilter(
    "Only records changed at this instant or later. A date alone means the beginning of that day in the tenant's " +
      'time zone. Records become visible some time after they changed, and records of an import as late as its ' +
      'promotion ends, so that this filter can miss changes. `changedAfter` misses none.',
  )
  updatedSince?: string;

  @TextFilter(
    'All records that changed after this position, the oldest change first, deleted records included. The position ' +
      'is an X-Event-Position of an earlier answer, or `start`. To synchronise without missing a change, begin with ' +
      '`start`, and send the X-Event-Position of each answer with the next request, without pageIndex and other ' +
      'filters. An answer without rows means that there is nothing new yet. A record is not listed again when only ' +
      'values change that it shows of other records, such as their names. Take those values from the other records, by ' +
      'their ids.',
    100,
  )
  changedAfter?: string;

  @FlagFilter('Whether deleted records are listed too.')
  includeDeleted?: boolean;

  @FlagFilter('Whether the answer has `totalCount`, the number of all records that match.')
  includeTotalCount?: boolean;

  ids?: string[];

  sort?: string;
}
