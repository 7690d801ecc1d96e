import { messageId, recordId } from '../../queue/delivery';
import type { Item } from '../lanes/lane';
import { MOST_BYTES, type SharedBody } from './record-as-read';

/** Bytes that are kept need memory of their own: a slice of Buffer's pool would keep its neighbours in memory too. */
const encoder = new TextEncoder();

/**
 * The body of a ready delivery, exactly as it is sent. It is made only now: earlier, hundreds would wait for their turn
 * and be copied by the garbage collector, at a fifth of the worker's time. Copying the body that another webhook was
 * sent for the same record and event is five times as fast as making it.
 */
export function bodyOf(item: Item): Buffer {
  const { delivery, lane, record } = item;
  let shared = record!.body;
  const isOfThis =
    shared?.eventId === delivery.event_id &&
    shared.sentAs === delivery.sent_as &&
    shared.alias === lane.config.alias;
  if (!shared || !isOfThis) record!.body = shared = make(item);
  const body = Buffer.from(shared.bytes);
  body.write(delivery.request_id, shared.requestIdAt, 'latin1');
  return body;
}

function make({ delivery, lane, record }: Item): SharedBody {
  const json = JSON.stringify;
  const { version, text, length } = record!;
  const { event_id, request_id } = delivery;
  const { alias } = lane.config;
  const head = `{"type":${json(delivery.sent_as)},"timestamp":"${delivery.occurred_at.toISOString()}","requestId":"`;
  const id = json(recordId(delivery));
  const source = json(delivery.source);
  const tail = `"id":"${messageId(event_id)}","tenant":${json(alias)},"sequence":${version || delivery.version},"changed":${delivery.changed}`;
  const thin = `${head}${request_id}","data":{"id":${id},"sourceId":${source}},${tail}`;
  const whole = encoder.encode(
    text === undefined
      ? `${thin}}`
      : `${head}${request_id}","data":{"id":${id},"data":${text},"sourceId":${source}},${tail}}`,
  );
  return {
    eventId: event_id,
    sentAs: delivery.sent_as,
    alias,
    // The text of a record that is too long by itself was not kept.
    bytes: Math.max(length, whole.length) > MOST_BYTES ? encoder.encode(`${thin},"truncated":true}`) : whole,
    requestIdAt: Buffer.byteLength(head),
  };
}
