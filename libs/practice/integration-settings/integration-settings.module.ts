import type { Area } from '../records/area';
import { PutIntegrationSettingsHandler } from './integration-settings.commands';
import {
  IntegrationSettingsReadController,
  IntegrationSettingsWriteController,
} from './integration-settings.controllers';
import { GetIntegrationSettingsHandler } from './integration-settings.queries';

export const integrationSettingsArea: Area = {
  write: { controllers: [IntegrationSettingsWriteController], handlers: [PutIntegrationSettingsHandler] },
  read: { controllers: [IntegrationSettingsReadController], handlers: [GetIntegrationSettingsHandler] },
  projections: [],
};
