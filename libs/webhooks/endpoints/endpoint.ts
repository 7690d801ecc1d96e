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

  @ApiProperty({
    description:
      'Who last changed the webhook, in the form of `createdBy`, or `service` when the service disabled it.',
  })
  override updatedBy: string;

  @ApiProperty({ description: 'Whether the webhook is enabled. No messages are queued for a disabled one.' })
  enabled: boolean;

  @ApiProperty({
    description: 'Whether the webhook is paused. Messages are then queued, and sent when it is resumed.',
    example: false,
  })
  paused: boolean;

  @ApiProperty({
    description: 'The address to which messages are sent.',
    example: 'https://hooks.example.com/practice',
  })
  url: string;

  @ApiProperty({
    type: String,
    isArray: true,
    description: 'The events that it subscribes to, as they were given.',
    example: ['matter.*', 'invoice.issued'],
  })
  events: string[];

  @ApiProperty({
    enum: payloadModes,
    description: '`full`: a message has the record, as the API shows it. `thin`: a message has only its id.',
  })
  payloadMode: PayloadMode;

  @ApiProperty({ type: String, nullable: true, description: 'What the webhook is for.' })
  description: string | null;

  @ApiProperty({
    ...optionalInstant,
    description:
      'The time of the first failure since the last success; null while messages are delivered. After 5 days of ' +
      'failures the webhook is disabled.',
  })
  failingSince: string | null;

  @ApiProperty({
    ...optionalInstant,
    description:
      'When the webhook was last disabled. A replay with this time as `since` sends what the webhook has missed. With ' +
      '`failingSince` as `since`, while that has a value, it also sends what failed before. If a replay was under way ' +
      'when the webhook was disabled, request it again with its own `since` to send the rest.',
  })
  disabledOn: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    enum: ['owner', 'gone', 'failing'],
    description:
      'Why the webhook is disabled. `owner`: its owner disabled it. `gone`: the receiver answered 410. `failing`: ' +
      'deliveries failed for 5 days.',
    example: null,
  })
  disabledReason: string | null;
}

/** A webhook with its secret, as the answers that create or rotate the secret show it. */
export class WebhookWithSecretView extends WebhookView {
  @ApiProperty({
    description: 'The secret that signs messages. It is never shown again.',
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
