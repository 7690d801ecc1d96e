import type { Area } from '../records/area';
import { Client } from './client';
import { clientHandlers } from './client.commands';
import { clientsProjection } from './client.projection';
import { ClientsReadController, ClientsWriteController } from './clients.controllers';

export const clientsArea: Area = {
  definition: Client,
  write: { controllers: [ClientsWriteController], handlers: clientHandlers },
  read: { controllers: [ClientsReadController] },
  projections: [clientsProjection],
};
