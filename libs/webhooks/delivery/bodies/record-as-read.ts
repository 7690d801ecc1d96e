/** Longest body: a longer one is sent as its thin form. */
export const MOST_BYTES = 256 * 1024;

/** What all webhooks of a tenant are sent of an event, but for the request id, which is each delivery's own. */
export interface SharedBody {
  eventId: string;
  sentAs: string;
  alias: string;
  bytes: Uint8Array;
  /** Where the request id stands. */
  requestIdAt: number;
}

/** What the body of a delivery tells of its record. */
export interface RecordAsRead {
  version: number;
  /** JSON; absent in thin mode, and of what is too long for a body. */
  text?: string;
  /** Characters of its JSON; 0 in thin mode. */
  length: number;
  /** Of the event that it was last told of. */
  body?: SharedBody;
}

/** What is too long for a body is not kept. */
export function asRead(json: string): Pick<RecordAsRead, 'text' | 'length'> {
  const { length } = json;
  return { length, text: length > MOST_BYTES ? undefined : json };
}
