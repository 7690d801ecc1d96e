import { malformed } from '#kernel/errors';

/** The position of an event in the feed, ordered by epoch, transaction id and position. */
export interface Position {
  epoch: number;
  transactionId: bigint;
  position: bigint;
}

export const START: Position = { epoch: 0, transactionId: 0n, position: 0n };
/** A position after all possible events: the greatest values of the three columns. */
export const END: Position = {
  epoch: 2_147_483_647,
  transactionId: 18_446_744_073_709_551_615n,
  position: 9_223_372_036_854_775_807n,
};

/** Returns a negative number, zero or a positive number if a is before, at or after b. */
export function comparePositions(a: Position, b: Position): number {
  if (a.epoch !== b.epoch) return a.epoch - b.epoch;
  if (a.transactionId !== b.transactionId) return a.transactionId < b.transactionId ? -1 : 1;
  if (a.position !== b.position) return a.position < b.position ? -1 : 1;
  return 0;
}

/** The earliest of the given positions, of which there must be at least one. */
export function earliest([first, ...others]: readonly Position[]): Position {
  return others.reduce((a, b) => (comparePositions(a, b) <= 0 ? a : b), first);
}

/** Parses `epoch.transactionId.position`, as the append function prints it. */
export function parsePosition(text: string): Position {
  const [epoch, transactionId, position] = text.split('.');
  return { epoch: Number(epoch), transactionId: BigInt(transactionId), position: BigInt(position) };
}

export function printPosition(at: Position): string {
  return `${at.epoch}.${at.transactionId}.${at.position}`;
}

/** Encodes a position as the opaque token of `X-Event-Position`. */
export function toToken(at: Position): string {
  return Buffer.from(printPosition(at)).toString('base64url');
}

/** @throws DomainError `malformed` when the text is not a token that this service created */
export function fromToken(token: string): Position {
  const text = Buffer.from(token, 'base64url').toString('latin1');
  if (!/^\d{1,9}\.\d{1,18}\.\d{1,18}$/.test(text)) {
    throw malformed('invalid_position', 'Not a position that this service has given out.');
  }
  return parsePosition(text);
}
