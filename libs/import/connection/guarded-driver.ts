import type { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';

/** The least and the greatest packet size that the protocol allows, in bytes. */
const [SHORTEST, LONGEST] = [512, 32_767];

/** The driver's internal reader and writer of a connection's packets. */
interface MessageIo {
  packetSize(size: number): number;
}
interface Driver {
  messageIo: MessageIo;
  createTokenStreamParser(message: unknown, handler: unknown): EventEmitter & { parser: Readable };
}

/**
 * Protects the process from answers that no SQL Server gives, which the driver does not survive.
 * @param refused called on such an answer: the connection must be closed
 */
export function guardDriver(connection: object, refused: () => void): void {
  guardParser(connection as Driver, refused);
  guardPacketSize(connection as Driver, refused);
}

/** Handles tokens that the driver cannot parse: it throws an error that nobody catches, which would end the process. */
function guardParser(connection: Driver, refused: () => void): void {
  const create = connection.createTokenStreamParser.bind(connection);
  connection.createTokenStreamParser = (message, handler) => {
    const made = create(message, handler);
    made.parser.on('error', (error) => {
      refused();
      // A login in progress listens for the error, and would otherwise wait for ever.
      if (made.listenerCount('error') > 0) made.emit('error', error);
    });
    return made;
  };
}

/**
 * Refuses impossible packet sizes. The driver splits its messages into packets of the size that the server names; with a size
 * that leaves no room for data it would loop for ever and block the process.
 */
function guardPacketSize(connection: Driver, refused: () => void): void {
  let io: MessageIo;
  Object.defineProperty(connection, 'messageIo', {
    get: () => io,
    set(made: MessageIo) {
      io = made;
      const change = made.packetSize.bind(made);
      made.packetSize = (size) => {
        if (size >= SHORTEST && size <= LONGEST) return change(size);
        refused();
        return size;
      };
    },
  });
}
