import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import { DomainError, type FieldError } from '#kernel/errors';
import { kindOf } from '#kernel/ids';
import { pointed } from '../json-pointer';

/** Stable codes for class-validator's constraints. The code of any other constraint is its name in snake case. */
const CODES: Record<string, string> = {
  isDefined: 'required',
  whitelistValidation: 'unknown_property',
  nestedValidation: 'not_an_object',
  maxLength: 'too_long',
  minLength: 'too_short',
  min: 'too_small',
  max: 'too_large',
  arrayMaxSize: 'too_many',
  arrayMinSize: 'too_few',
  isIn: 'unknown_value',
};

/** The most properties of an object: many more than any DTO has. */
const MAX_PROPERTIES = 100;

/**
 * Converts bodies and queries to their DTOs, and refuses unknown properties.
 * @throws DomainError `invalid` (422) for a body, `malformed` (400) for a query, naming every property at fault
 */
@Injectable()
export class RequestPipe implements PipeTransform {
  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    if ((type !== 'body' && type !== 'query') || !metatype || metatype === Object || metatype === String)
      return value;
    if (value !== undefined && !isObject(value)) throw notAnObject();
    const inherited = inheritedNames(type, value, '');
    if (inherited.length > 0) throw refusal(type, inherited.map(unknownProperty));
    const instance = plainToInstance(metatype, value ?? {});
    const faults = validateSync(instance as object, {
      whitelist: true,
      forbidNonWhitelisted: true,
      forbidUnknownValues: true,
      stopAtFirstError: true,
      validationError: { target: false },
    });
    if (faults.length > 0)
      throw refusal(
        type,
        faults.flatMap((fault) => fieldErrors(fault, '')),
      );
    return instance;
  }
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The 422 answer `not_an_object`. */
export function notAnObject(): DomainError {
  return new DomainError('invalid', 'not_an_object', 'The body must be a JSON object.');
}

/** The 422 answer to a body whose only faults are these properties. */
export function unknownProperties(names: string[]): DomainError {
  return refusal(
    'body',
    names.map((name) => unknownProperty(`/${pointed(name)}`)),
  );
}

/**
 * Pointers to properties named like one that every object inherits: validation would take them for known properties.
 * @throws DomainError when an object has very many properties: the time of class-transformer grows with their square,
 * to ten seconds for a megabyte
 */
function inheritedNames(type: 'body' | 'query', value: unknown, parent: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const entries = Object.entries(value);
  if (!Array.isArray(value) && entries.length > MAX_PROPERTIES) {
    const message = `${parent.slice(1) || `The ${type}`} has more than ${MAX_PROPERTIES} properties`;
    throw refusal(type, [{ pointer: parent, code: 'too_many_properties', message }]);
  }
  return entries.flatMap(([name, child]) => {
    const pointer = `${parent}/${pointed(name)}`;
    return name in Object.prototype ? [pointer] : inheritedNames(type, child, pointer);
  });
}

function unknownProperty(pointer: string): FieldError {
  return { pointer, code: CODES.whitelistValidation, message: unknownMessage(pointer) };
}

function unknownMessage(pointer: string): string {
  return `${pointer.slice(1)} is not a known property`;
}

function refusal(type: 'body' | 'query', errors: FieldError[]): DomainError {
  const detail = errors.map(({ message }) => message).join('; ');
  return type === 'body'
    ? new DomainError('invalid', 'validation_failed', detail, errors)
    : new DomainError('malformed', 'invalid_query', detail, errors);
}

function fieldErrors(fault: ValidationError, parent: string): FieldError[] {
  const pointer = `${parent}/${pointed(fault.property)}`;
  const own = Object.entries(fault.constraints ?? {}).map(([constraint, text]) => ({
    pointer,
    code: codeOf(constraint, fault.value),
    message: constraint === 'whitelistValidation' ? unknownMessage(pointer) : text,
  }));
  return [...own, ...(fault.children ?? []).flatMap((child) => fieldErrors(child, pointer))];
}

function codeOf(constraint: string, value: unknown): string {
  if (constraint === 'isIdOf') return kindOf(value) ? 'wrong_kind' : 'invalid_id';
  return CODES[constraint] ?? constraint.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
