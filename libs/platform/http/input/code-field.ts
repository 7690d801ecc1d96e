import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import { normalised } from '#kernel/names';
import { TextField, type TextOptions } from './fields';

/**
 * A code or number that is one record's alone. One that looks like another is refused, rather than stored as what was not
 * sent: white space at its ends, or letters in another of Unicode's forms.
 */
export function CodeField(options: TextOptions & { description: string }): PropertyDecorator {
  const description = `${options.description} Without white space at its ends, in Unicode's form NFC.`;
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
