import type { Area } from '../records/area';
import { Supplier } from './supplier';
import { suppliersProjection } from './supplier.projection';
import { SuppliersReadController, SuppliersWriteController } from './suppliers.controllers';

export const suppliersArea: Area = {
  definition: Supplier,
  write: { controllers: [SuppliersWriteController], handlers: [] },
  read: { controllers: [SuppliersReadController] },
  projections: [suppliersProjection],
};
