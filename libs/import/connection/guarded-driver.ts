import type { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';

/** The sizes of a packet that the protocol allows, in bytes. */
const [SHORTEST, LONGEST] = [512, 32_767];

/** The driver's own, of a connection. */
interface MessageIo {
  packetSize(size: number): number;
}
interface Driver {
  messageIo: MessageIo;
  createTokenStreamParser(message: unknown, handler: unknown): EventEmitter & { parser: Readable };
}

/**
 * Keeps the process from what the driver makes of an answer that no SQL Server gives.
 * @param refused called when there is one: the connection is of no use any more
 */
export function guardDriver(connection: object, refused: () => void): void {
  guardParser(connection as Driver, refused);
  guardPacketSize(connection as Driver, refused);
}

/** What the driver cannot read it throws where nobody listens, which ends the process. */
function guardParser(connection: Driver, refused: () => void): void {
  const create = connection.createTokenStreamParser.bind(connection);
  connection.createTokenStreamParser = (message, handler) => {
    const made = create(message, handler);
    made.parser.on('error', (error) => {
      refused();
      // Whoever logs in waits for its end.
      if (made.listenerCount('error') > 0) made.emit('error', error);
    });
    return made;
  };
}

/**
 * The driver cuts what it sends into packets of the size that the server names: into those that have room for nothing it
 * would cut for ever, and the process would do nothing else any more.
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
