import type { ApiPropertyOptions } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsString,
  Matches,
  MaxLength,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { isId, type Kind } from '#kernel/ids';
import { type FieldOptions, field, instances, NOT_BLANK } from './fields';
import { idSchema } from './id-schema';

export interface TextsOptions extends FieldOptions {
  max: number;
  maxLength?: number;
  /** Describes the list as having at least one text, which its command checks. A required list always is. */
  notEmpty?: boolean;
}

/** A list of texts, none of them blank. */
export function TextsField(options: TextsOptions): PropertyDecorator {
  const { max, maxLength = 200, notEmpty = options.required } = options;
  const each = true;
  return field(
    options,
    {
      type: String,
      isArray: true,
      minItems: notEmpty ? 1 : undefined,
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

/** A list of ids of one kind; when required, of at least one. */
export function IdsField(kind: Kind, options: FieldOptions & { max: number }): PropertyDecorator {
  const isIdOf = ValidateBy({
    name: 'isIdOf',
    validator: {
      validate: (value: unknown) => Array.isArray(value) && value.every((id) => isId(kind, id)),
      defaultMessage: (args) =>
        `${args!.property} must hold only ids of the form ${kind}_<32 lowercase hex digits>`,
    },
  });
  const least = options.required ? 1 : 0;
  const size = { minItems: least || undefined, maxItems: options.max };
  const api: ApiPropertyOptions = { type: 'array', items: idSchema(kind), ...size };
  const isList = IsArray({ message: '$property must be a list' });
  return field(options, api, isList, ArrayMinSize(least), ArrayMaxSize(options.max), isIdOf);
}
