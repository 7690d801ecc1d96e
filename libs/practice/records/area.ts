import type { Type } from '@nestjs/common';
import type { AnyDefinition } from '#event-store/events';
import type { Projection } from '#projections/projection';

/** What an area gives to each process; a process loads only its part. */
export interface Area {
  /** How its streams are folded; absent in an area without streams. */
  definition?: AnyDefinition;
  write: { controllers: Type[]; handlers: Type[] };
  read: { controllers: Type[]; handlers?: Type[] };
  projections: Projection[];
}
