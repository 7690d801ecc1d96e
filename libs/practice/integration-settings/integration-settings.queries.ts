import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { WriteDatabase } from '#platform/database';
import type { RequestContext } from '#platform/request-context';

export interface IntegrationSettings {
  /** The JSON of any object. */
  settings: string;
  /** Counts the changes; 0 before the first. */
  version: number;
}

/** The calling integration's settings for the tenant; an empty object at first. */
export async function settingsOf(
  { pool }: WriteDatabase,
  { tenant, integrationId }: RequestContext,
): Promise<IntegrationSettings> {
  const { rows } = await pool.query<IntegrationSettings>(
    `select settings::text, version from platform.integration_settings
     where tenant_id = $1 and integration_id = $2`,
    [tenant.id, integrationId],
  );
  return rows[0] ?? { settings: '{}', version: 0 };
}

export class GetIntegrationSettings {
  constructor(readonly context: RequestContext) {}
}

/** Reads the settings from the database to which they are written, so no read model has to catch up. */
@QueryHandler(GetIntegrationSettings)
export class GetIntegrationSettingsHandler implements IQueryHandler<GetIntegrationSettings> {
  constructor(private readonly database: WriteDatabase) {}

  execute({ context }: GetIntegrationSettings): Promise<IntegrationSettings> {
    return settingsOf(this.database, context);
  }
}
