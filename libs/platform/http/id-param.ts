import { Param, type PipeTransform } from '@nestjs/common';
import { notFound } from '#kernel/errors';
import { type Id, isId, type Kind } from '#kernel/ids';

class IdPipe implements PipeTransform {
  constructor(private readonly kind: Kind) {}

  transform(value: string): Id {
    if (!isId(this.kind, value)) throw notFound(this.kind);
    return value;
  }
}

/** The `:id` of an address. @throws DomainError `not_found` when it is not an id of that kind */
export function IdParam(kind: Kind, name = 'id'): ParameterDecorator {
  return Param(name, new IdPipe(kind));
}
