import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ClosedTenants } from '#event-store/closed-tenants';
import { DomainError } from '#kernel/errors';
import { WriteDatabase } from '#platform/database';
import type { JsonText } from '#platform/http/body/json-body';
import { exactJson } from '#platform/http/exact-json';
import { isObject, notAnObject } from '#platform/http/input/request.pipe';
import type { RequestContext } from '#platform/request-context';
import { versionMismatch } from '#platform/version-match';
import { type IntegrationSettings, settingsOf } from './integration-settings.queries';

const MAX_BYTES = 64 * 1024;

export class PutIntegrationSettings {
  constructor(
    readonly context: RequestContext,
    readonly settings: JsonText | undefined,
  ) {}
}

/**
 * Replaces the integration's settings for the tenant. The same settings again change nothing.
 * @throws DomainError promotion_in_progress, not_an_object, settings_too_large, version_mismatch
 */
@CommandHandler(PutIntegrationSettings)
export class PutIntegrationSettingsHandler implements ICommandHandler<PutIntegrationSettings> {
  constructor(
    private readonly database: WriteDatabase,
    private readonly closed: ClosedTenants,
  ) {}

  async execute({ context, settings }: PutIntegrationSettings): Promise<IntegrationSettings> {
    const json = requireSettings(settings);
    const { tenant, integrationId, ifMatch } = context;
    const versions = ifMatch === '*' ? undefined : ifMatch;
    const mayBeFirst = ifMatch?.includes('0') ?? true;
    await context.admitted;
    await this.closed.requireOpen(tenant.id);
    const { rows } = await this.database.pool.query<IntegrationSettings>(
      `insert into platform.integration_settings as s (tenant_id, integration_id, settings, version)
       select $1, $2, $3::json, 1
       where $5 or exists (
         select from platform.integration_settings e where e.tenant_id = $1 and e.integration_id = $2)
       on conflict (tenant_id, integration_id) do update
         set settings = excluded.settings, updated_at = now(),
           version = s.version + (s.settings::text <> excluded.settings::text)::int
         where $4::text[] is null or s.version::text = any ($4)
       returning s.settings::text, s.version`,
      [tenant.id, integrationId, json, versions, mayBeFirst],
    );
    if (rows.length === 0) throw await this.mismatch(context);
    return rows[0];
  }

  private async mismatch(context: RequestContext): Promise<DomainError> {
    const { version } = await settingsOf(this.database, context);
    return versionMismatch(version, 'The settings are');
  }
}

function requireSettings(settings: JsonText | undefined): string {
  const { text = '', value } = settings ?? {};
  if (!isObject(value)) throw notAnObject();
  const json = exactJson(text);
  if (Buffer.byteLength(json) > MAX_BYTES)
    throw new DomainError('too_large', 'settings_too_large', 'The settings are larger than 64 KiB.');
  return json;
}
