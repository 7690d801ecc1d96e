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
  return described(name, new NumberPipe(what), { type: 'integer', minimum: 1, example: 1 });
}

/** The `:id` of an address. @throws DomainError `not_found` when it is not an id of that kind */
export function IdParam(kind: Kind, name = 'id'): ParameterDecorator {
  return described(name, new IdPipe(kind), idSchema(kind));
}

function described(name: string, pipe: PipeTransform, schema: Schema): ParameterDecorator {
  const api = ApiParam({ name, schema });
  return (controller, method, index) => {
    api(controller, method!, Object.getOwnPropertyDescriptor(controller, method!)!);
    Param(name, pipe)(controller, method, index);
  };
}

type Schema = Extract<ApiParamOptions, { schema?: unknown }>['schema'];
