import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam, type ApiParamOptions } from '@nestjs/swagger';
import { notFound } from '#kernel/errors';
import { type Id, isId, type Kind } from '#kernel/ids';
import { idSchema } from './id-schema';

class IdPipe implements PipeTransform {
  constructor(private readonly kind: Kind) {}

  transform(value: string): Id {
    if (!isId(this.kind, value)) throw notFound(this.kind);
    return value;
  }
}

class NumberPipe implements PipeTransform {
  constructor(private readonly what: string) {}

  transform(value: string): number {
    if (!/^[1-9]\d{0,8}$/.test(value)) throw notFound(this.what);
    return Number(value);
  }
}

/** The number of a part of a record, counted from 1. @throws DomainError `not_found` when it is not such a number */
export function NumberParam(name: string, what: string): ParameterDecorator {
  const schema = { type: 'integer' as const, minimum: 1, example: 1 };
  return described({ name, schema, description: `The \`id\` of the ${what}.` }, new NumberPipe(what));
}

/** The `:id` of an address. @throws DomainError `not_found` when it is not an id of that kind */
export function IdParam(kind: Kind, name = 'id'): ParameterDecorator {
  return described({ name, schema: idSchema(kind) }, new IdPipe(kind));
}

function described(options: Described, pipe: PipeTransform): ParameterDecorator {
  const api = ApiParam(options);
  return (controller, method, index) => {
    api(controller, method!, Object.getOwnPropertyDescriptor(controller, method!)!);
    Param(options.name, pipe)(controller, method, index);
  };
}

type Described = Extract<ApiParamOptions, { schema?: unknown }>;
