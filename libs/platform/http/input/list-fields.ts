import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsString, Matches, MaxLength, ValidateNested } from 'class-validator';
import { type FieldOptions, field, instances, NOT_BLANK } from './fields';

/**
 * A list of texts, none of them blank. When required, it is described as having at least one, which its command checks.
 */
export function TextsField(options: FieldOptions & { max: number; maxLength?: number }): PropertyDecorator {
  const { max, maxLength = 200 } = options;
  const each = true;
  return field(
    options,
    {
      type: String,
      isArray: true,
      minItems: options.required ? 1 : undefined,
      maxItems: max,
      maxLength,
      pattern: NOT_BLANK.source,
    },
    IsArray({ message: '$property must be a list' }),
    ArrayMaxSize(max, { message: `$property may hold at most ${max} texts` }),
    IsString({ each, message: '$property must hold only texts' }),
    MaxLength(maxLength, { each, message: `$property must hold texts of at most ${maxLength} characters` }),
    Matches(NOT_BLANK, { each, message: '$property must not hold a blank text' }),
  );
}

/** A list of nested objects. */
export function ObjectsField(
  dto: () => new () => object,
  options: FieldOptions & { max: number },
): PropertyDecorator {
  const { max } = options;
  return field(
    options,
    { type: () => dto(), isArray: true, maxItems: max },
    IsArray({ message: '$property must be a list' }),
    ArrayMaxSize(max, { message: `$property may hold at most ${max} objects` }),
    instances(dto, 'must hold only objects', true),
    ValidateNested({ each: true }),
    Type(dto),
  );
}
