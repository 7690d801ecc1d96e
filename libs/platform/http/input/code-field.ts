import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import { normalised } from '#kernel/names';
import { TextField, type TextOptions } from './fields';

/**
 * A code or number that belongs to one record alone. A value that only looks like another, by white space at its ends
 * or another of Unicode's forms, is refused, and not stored in a form that was not sent.
 */
export function CodeField(options: TextOptions & { description: string }): PropertyDecorator {
  const description = `${options.description} It must have no white space at its ends, and be in Unicode's form NFC.`;
  const isNormalised = ValidateBy({
    name: 'notNormalised',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && value === normalised(value),
      defaultMessage: (args) =>
        `${args!.property} must have no white space at its ends, and be in Unicode's form NFC`,
    },
  });
  return applyDecorators(TextField({ ...options, description, notBlank: true }), isNormalised);
}
