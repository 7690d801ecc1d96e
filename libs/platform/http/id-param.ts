import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
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

/** The `:id` of an address. @throws DomainError `not_found` when it is not an id of that kind */
export function IdParam(kind: Kind, name = 'id'): ParameterDecorator {
  const described = ApiParam({ name, schema: idSchema(kind) });
  return (controller, method, index) => {
    described(controller, method!, Object.getOwnPropertyDescriptor(controller, method!)!);
    Param(name, new IdPipe(kind))(controller, method, index);
  };
}
