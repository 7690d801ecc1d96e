import { ApiProperty, OmitType } from '@nestjs/swagger';
import { type Id, toId } from '#kernel/ids';
import { RecordView } from '#practice/records/record';

export const payloadModes = ['full', 'thin'] as const;
export type PayloadMode = (typeof payloadModes)[number];

/** A row of `webhooks.endpoints`, with since when its receiver fails. */
export interface EndpointRow {
  tenant_id: number;
  id: string;
  integration_id: string;
  version: number;
  url: string;
  events: string[];
  payload_mode: PayloadMode;
  description: string | null;
  /** Sealed. */
  secret: string;
  former_secrets: { secret: string; until: string }[];
  enabled: boolean;
  paused: boolean;
  disabled_at: Date | null;
  disabled_reason: string | null;
  created_at: Date;
  created_by: string;
  updated_at: Date;
  updated_by: string;
  failing_since: Date | null;
}

/** Columns of an EndpointRow, from `webhooks.endpoints e join webhooks.lanes l`. */
export const ENDPOINT_COLUMNS = `e.tenant_id, e.id, e.integration_id, e.version, e.url, e.events, e.payload_mode,
  e.description, e.secret, e.former_secrets, e.enabled, e.paused, e.disabled_at, e.disabled_reason, e.created_at,
  e.created_by, e.updated_at, e.updated_by, l.failing_since`;

const optionalInstant = { type: String, format: 'date-time', nullable: true } as const;

/** A webhook as the API shows it, without its secret. */
export class WebhookView extends OmitType(RecordView, ['isDeleted', 'externalReference']) {
  @ApiProperty({ example: 'webhook_0198c2f1a4b87c3d9e5f60718293a4b5' })
  override id: string;

  @ApiProperty({ description: 'Nothing is queued for one that is not.' })
  enabled: boolean;

  @ApiProperty({ description: 'What comes is queued, and sent once it is resumed.', example: false })
  paused: boolean;

  @ApiProperty({ example: 'https://hooks.example.com/practice' })
  url: string;

  @ApiProperty({ type: String, isArray: true, example: ['matter.*', 'invoice.issued'] })
  events: string[];

  @ApiProperty({ enum: payloadModes })
  payloadMode: PayloadMode;

  @ApiProperty({ type: String, nullable: true })
  description: string | null;

  @ApiProperty({
    ...optionalInstant,
    description: 'The first failure since the last success; after 5 days it is disabled.',
  })
  failingSince: string | null;

  @ApiProperty({
    ...optionalInstant,
    description:
      'When it was last disabled: a replay since then sends what it missed; one since `failingSince`, while that is told, what failed before too. A replay that this ended sends what is left when it is asked for again, with its own `since`.',
  })
  disabledOn: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    enum: ['owner', 'gone', 'failing'],
    description: 'Why it is disabled: by its owner, by an answer 410, or by failing for 5 days.',
    example: null,
  })
  disabledReason: string | null;
}

/** A webhook with its secret, as the answers that create or rotate the secret show it. */
export class WebhookWithSecretView extends WebhookView {
  @ApiProperty({
    description: 'Shown here and never again.',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
  })
  secret: string;
}

export function webhookView(row: EndpointRow): WebhookView {
  return {
    id: webhookId(row),
    version: row.version,
    createdOn: row.created_at.toISOString(),
    createdBy: row.created_by,
    updatedOn: row.updated_at.toISOString(),
    updatedBy: row.updated_by,
    enabled: row.enabled,
    paused: row.paused,
    url: row.url,
    events: row.events,
    payloadMode: row.payload_mode,
    description: row.description,
    failingSince: row.failing_since?.toISOString() ?? null,
    disabledOn: row.disabled_at?.toISOString() ?? null,
    disabledReason: row.enabled ? null : row.disabled_reason,
  };
}

export function webhookId({ id }: { id: string }): Id<'webhook'> {
  return toId('webhook', id);
}
