import { OmitType, PartialType } from '@nestjs/swagger';
import { ChoiceField, FlagField, IdField, TextField } from '#platform/http/input/fields';
import { TextsField } from '#platform/http/input/list-fields';
import { InstantField } from '#platform/http/input/time-fields';
import { type PayloadMode, payloadModes } from './endpoint';

const SECRET = '`whsec_` and base64 of 24 to 64 bytes, or a GUID.';

/** Body of `POST /webhooks`. */
export class WebhookInput {
  @TextField({
    required: true,
    max: 2048,
    example: 'https://hooks.example.invalid/practice',
    description: 'https, with a host of the public internet.',
  })
  url: string;

  @TextsField({
    required: true,
    max: 200,
    maxLength: 100,
    example: ['matter.*', 'invoice.issued'],
    description:
      'Names as in `GET /webhooks/eventtypes`, `<area>.*`, or `*`. Each needs the permission to read its area.',
  })
  events: string[];

  @TextField({ max: 200, notBlank: true, description: `${SECRET} Made when absent.` })
  secret?: string | null;

  @FlagField({ description: 'Default true.', example: true })
  enabled?: boolean | null;

  @ChoiceField(payloadModes, {
    description: '`full` (default): the record as its area answers it; `thin`: its id alone.',
    example: 'full',
  })
  payloadMode?: PayloadMode | null;

  @TextField({ max: 500, example: 'Matters to the document system' })
  description?: string | null;
}

/** Body of `PUT /webhooks`: creates the webhook with that id, or replaces it whole. */
export class WebhookRegistration extends WebhookInput {
  @IdField('webhook', { required: true, description: 'Chosen by the caller.' })
  id: string;

  @TextField({
    max: 200,
    notBlank: true,
    description: `${SECRET} Needed for a new webhook; without it one that is there keeps its own.`,
    example: '12345678-0000-0000-0000-123456789012',
  })
  declare secret?: string | null;
}

/** Body of `PATCH /webhooks/{id}`; a secret is changed by rotation. */
export class WebhookPatch extends PartialType(OmitType(WebhookInput, ['secret']), {
  skipNullProperties: false,
}) {}

export class RotateSecretInput {
  @TextField({ max: 200, notBlank: true, description: `${SECRET} Made when absent.`, example: null })
  secret?: string | null;
}

export const replayModes = ['failed', 'all'] as const;

export class ReplayInput {
  @InstantField({ required: true, description: 'Events from before the days that are kept are left out.' })
  since: string;

  @InstantField({ description: 'Default: now.', example: '2025-06-13T10:00:00Z' })
  until?: string | null;

  @ChoiceField(replayModes, {
    required: true,
    description:
      '`failed`: what was not delivered, for whatever reason, from the oldest event on that failed since then; `all`: everything again.',
    example: 'failed',
  })
  mode: (typeof replayModes)[number];
}
