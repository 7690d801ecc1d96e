/** Longest body: a longer one is sent as its thin form. */
export const MOST_BYTES = 256 * 1024;

/** The body that all webhooks of a tenant are sent for an event. Only the request id differs between deliveries. */
export interface SharedBody {
  eventId: string;
  sentAs: string;
  alias: string;
  bytes: Uint8Array;
  /** The offset of the request id in `bytes`. */
  requestIdAt: number;
}

/** A record, as far as the body of a delivery shows it. */
export interface RecordAsRead {
  version: number;
  /** The record as JSON; absent in thin mode, and when it is too long for a body. */
  text?: string;
  /** Characters of the record's JSON; 0 in thin mode. */
  length: number;
  /** The body that was last made of the record. */
  body?: SharedBody;
}

/** A record's text and length; a text that is too long for a body is not kept. */
export function asRead(json: string): Pick<RecordAsRead, 'text' | 'length'> {
  const { length } = json;
  return { length, text: length > MOST_BYTES ? undefined : json };
}
