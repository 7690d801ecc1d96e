import { OmitType, PartialType } from '@nestjs/swagger';
import { ChoiceField, FlagField, IdField, TextField } from '#platform/http/input/fields';
import { TextsField } from '#platform/http/input/list-fields';
import { InstantField } from '#platform/http/input/time-fields';
import { type PayloadMode, payloadModes } from './endpoint';

const SECRET = 'The secret that signs messages: `whsec_` followed by 24 to 64 bytes in base64, or a GUID.';

const WHEN =
  'What counts is the value when the service comes to an event, normally within milliseconds of it.';

const EVENTS = {
  max: 200,
  maxLength: 100,
  example: ['matter.*', 'invoice.issued'],
  description:
    'The events to subscribe to: names as in `GET /webhooks/eventtypes`, `<area>.*` for all events of an area, or ' +
    `\`*\` for all events. Each needs the permission to read its area. ${WHEN}`,
};

/** Body of `POST /webhooks`. */
export class WebhookInput {
  @TextField({
    required: true,
    max: 2048,
    example: 'https://hooks.example.invalid/practice',
    description: 'The https address to which messages are sent. Its host must be on the public internet.',
  })
  url: string;

  @TextsField({ ...EVENTS, required: true })
  events: string[];

  @TextField({ max: 200, notBlank: true, description: `${SECRET} When absent, one is generated.` })
  secret?: string | null;

  @FlagField({
    description: `Whether messages are sent to the webhook. Default: true. ${WHEN}`,
    example: true,
  })
  enabled?: boolean | null;

  @ChoiceField(payloadModes, {
    description:
      '`full` (default): a message has the record, as the API shows it. `thin`: a message has only its id.',
    example: 'full',
  })
  payloadMode?: PayloadMode | null;

  @TextField({ max: 500, example: 'Matters to the document system', description: 'What the webhook is for.' })
  description?: string | null;
}

/** Body of `PUT /webhooks`: creates the webhook with that id, or replaces it whole. */
export class WebhookRegistration extends WebhookInput {
  @IdField('webhook', { required: true, description: 'The id of the webhook, which you choose.' })
  id: string;

  @TextField({
    max: 200,
    notBlank: true,
    description: `${SECRET} Required for a new webhook. When absent, an existing webhook keeps its secret; if it gets another address, that needs the permissions to read its former events.`,
    example: '12345678-0000-0000-0000-123456789012',
  })
  declare secret?: string | null;
}

/** Body of `PATCH /webhooks/{id}`; a secret is changed by rotation. */
export class WebhookPatch extends PartialType(OmitType(WebhookInput, ['secret', 'events']), {
  skipNullProperties: false,
}) {
  // Nullable, because Java's generator sends an empty list for one that is not and was not set.
  @TextsField({
    ...EVENTS,
    notEmpty: true,
    description: `${EVENTS.description} Null leaves them as they are, as a webhook cannot be without events.`,
  })
  events?: string[] | null;
}

export class RotateSecretInput {
  @TextField({
    max: 200,
    notBlank: true,
    description: `${SECRET} When absent, one is generated.`,
    example: null,
  })
  secret?: string | null;
}

export const replayModes = ['failed', 'all'] as const;

export class ReplayInput {
  @InstantField({
    required: true,
    description:
      'The beginning of the period. Events that are older than deliveries are kept (30 days by default) are left out.',
  })
  since: string;

  @InstantField({ description: 'The end of the period. Default: now.', example: '2025-06-13T10:00:00Z' })
  until?: string | null;

  @ChoiceField(replayModes, {
    required: true,
    description:
      '`failed`: sends every event of the period that was not delivered, for whatever reason, and everything not ' +
      'delivered since the oldest event whose delivery failed in the period. `all`: sends all events of the period again.',
    example: 'failed',
  })
  mode: (typeof replayModes)[number];
}
