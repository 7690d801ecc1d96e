import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';
import { type FieldOptions, field } from './fields';

const INSTANT =
  /^(\d{4})-(0[1-9]|1[0-2])-(\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
const EARLIEST = Date.UTC(1900, 0, 1);
const LATEST = Date.UTC(2200, 0, 1);

function isInstant(value: unknown): boolean {
  const parts = typeof value === 'string' ? INSTANT.exec(value) : null;
  if (!parts) return false;
  const [text, year, month, day] = parts;
  // Date.parse takes the 30th of February for the 2nd of March.
  const daysInMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  const at = Date.parse(text);
  return day >= '01' && Number(day) <= daysInMonth && at >= EARLIEST && at < LATEST;
}

/**
 * An ISO 8601 timestamp with its offset, between 1900 and 2199, and down to nanoseconds as Go writes them. It is passed
 * on in UTC with milliseconds.
 */
export function InstantField(options: FieldOptions = {}): PropertyDecorator {
  const check = ValidateBy({
    name: 'instant',
    validator: {
      validate: isInstant,
      defaultMessage: (args) =>
        `${args!.property} must be an ISO 8601 timestamp such as 2025-06-12T10:00:00Z, between 1900 and 2199`,
    },
  });
  const inUtc = Transform(({ value }) => (isInstant(value) ? new Date(value).toISOString() : value));
  const shown = { example: '2025-06-12T10:00:00Z', ...options };
  return applyDecorators(field(shown, { type: String, format: 'date-time' }, check), inUtc);
}

/** A calendar day, `YYYY-MM-DD`, or an instant, which means its day in the tenant's zone. */
export function DayField(options: FieldOptions = {}): PropertyDecorator {
  const check = ValidateBy({
    name: 'day',
    validator: {
      validate: (value: unknown) =>
        isInstant(value) || (typeof value === 'string' && isInstant(`${value}T00:00:00Z`)),
      defaultMessage: (args) =>
        `${args!.property} must be a day such as 2025-06-12, or a timestamp, between 1900 and 2199`,
    },
  });
  return field({ example: '2025-06-12', ...options }, { type: String, format: 'date' }, check);
}
