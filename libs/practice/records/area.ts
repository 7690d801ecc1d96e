import type { Type } from '@nestjs/common';
import type { AnyDefinition } from '#event-store/events';
import type { Projection } from '#projections/projection';

/** The parts of an area. A process loads only those that it needs. */
export interface Area {
  /** The definition of the area's streams; absent in an area without streams. */
  definition?: AnyDefinition;
  write: { controllers: Type[]; handlers: Type[] };
  read: { controllers: Type[]; handlers?: Type[] };
  projections: Projection[];
}
