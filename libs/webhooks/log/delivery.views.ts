import { ApiProperty } from '@nestjs/swagger';
import { ChoiceFilter, InstantFilter, WholeNumberFilter } from '#platform/http/input/list-query';
import { webhookId } from '../endpoints/endpoint';
import { eventNames } from '../events/event-catalogue';
import { PageQuery } from '../page';
import {
  type DeliveryRow,
  DeliveryState,
  deliveryId,
  deliveryStateNames,
  messageId,
  recordId,
} from '../queue/delivery';

const nullableText = { type: String, nullable: true } as const;
const nullableInstant = { ...nullableText, format: 'date-time' } as const;

/** The delivery of one event to one webhook. */
export class DeliveryView {
  @ApiProperty({ example: 'delivery_0198c2f1a4b87c3d9e5f60718293a4b5' })
  id: string;

  @ApiProperty({ example: 'webhook_0198c2f1a4b87c3d9e5f60718293a4b5' })
  webhookId: string;

  @ApiProperty({
    description: 'The id of the event, which is sent as the header `webhook-id`.',
    example: 'evt_0198c2f1a4b87c3d9e5f60718293a4b5',
  })
  eventId: string;

  @ApiProperty({ format: 'uuid', description: 'The id that is sent as the header `X-PE2-REQUEST-ID`.' })
  requestId: string;

  @ApiProperty({
    description: 'The name of the event, in the form to which the webhook has subscribed.',
    example: 'matter.created',
  })
  type: string;

  @ApiProperty({
    description: 'The id of the record that the event is about.',
    example: 'matter_0198c2f1a4b87c3d9e5f60718293a4b5',
  })
  recordId: string;

  @ApiProperty({ type: 'integer', description: 'The version of the record after the event.' })
  sequence: number;

  @ApiProperty({ format: 'date-time', description: 'When the event happened.' })
  occurredOn: string;

  @ApiProperty({ type: 'integer', description: '0 Pending, 1 Delivered, 2 Failed' })
  state: number;

  @ApiProperty()
  stateName: string;

  @ApiProperty({ type: 'integer', description: 'The number of attempts so far.', example: 1 })
  attemptCount: number;

  @ApiProperty({
    ...nullableInstant,
    description: 'The earliest time of the next attempt; null if there will be none.',
  })
  nextAttemptOn: string | null;

  @ApiProperty({
    ...nullableInstant,
    description: 'When it was delivered or given up; null while it is pending.',
  })
  finishedOn: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The HTTP status of the last answer.',
    example: 204,
  })
  lastStatus: number | null;

  @ApiProperty({ ...nullableText, description: 'Why the last attempt failed: `status`, `timeout`, `dns`, …' })
  lastError: string | null;
}

export class AttemptView {
  @ApiProperty({ type: 'integer', description: 'The number of the attempt, from 1.', example: 1 })
  number: number;

  @ApiProperty({ format: 'date-time', description: 'When the attempt began.' })
  on: string;

  @ApiProperty({ type: 'integer', description: 'The duration of the attempt, in milliseconds.', example: 12 })
  milliseconds: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The HTTP status of the answer; null if there was none.',
    example: 204,
  })
  status: number | null;

  @ApiProperty({
    ...nullableText,
    description: 'Why the attempt failed: `status`, `timeout`, `dns`, …; null if it did not.',
  })
  error: string | null;

  @ApiProperty({ ...nullableText, description: 'The reason for the failure, as a text for people.' })
  detail: string | null;

  @ApiProperty({ ...nullableText, description: 'The answer of the receiver, cut off at 20 KB.' })
  response: string | null;

  @ApiProperty({
    ...nullableText,
    description: 'The IP address to which the message was sent.',
    example: '203.0.113.7',
  })
  address: string | null;
}

export class DeliveryWithAttemptsView extends DeliveryView {
  @ApiProperty({
    type: [AttemptView],
    description: 'The attempts so far, at most the latest 100, in their order.',
  })
  attempts: AttemptView[];
}

export class DeliveriesQuery extends PageQuery {
  @WholeNumberFilter('0 Pending, 1 Delivered, 2 Failed.', { min: 0, max: 2 })
  state?: number;

  @ChoiceFilter(
    'Only deliveries of this event, which may be given by either of its names.',
    eventNames.flatMap(({ name, qualified }) => (qualified === undefined ? [name] : [name, qualified])),
  )
  type?: string;

  @InstantFilter(
    'Only deliveries of events at this instant or later. A date alone means the beginning of that day in the ' +
      "tenant's time zone.",
  )
  since?: string;
}

export function deliveryView(row: DeliveryRow): DeliveryView {
  return {
    id: deliveryId(row.event_id),
    webhookId: webhookId({ id: row.webhook_id }),
    eventId: messageId(row.event_id),
    requestId: row.request_id,
    type: row.sent_as,
    recordId: recordId(row),
    sequence: row.version,
    occurredOn: row.occurred_at.toISOString(),
    state: row.state,
    stateName: deliveryStateNames[row.state],
    attemptCount: row.attempts,
    nextAttemptOn: row.state === DeliveryState.Pending ? row.due_at.toISOString() : null,
    finishedOn: row.finished_at?.toISOString() ?? null,
    lastStatus: row.status,
    lastError: row.error,
  };
}
