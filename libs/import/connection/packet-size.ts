/** Of a packet, in bytes, as the protocol allows. */
const [SHORTEST, LONGEST] = [512, 32_767];

/** The driver's own, of a connection. */
interface MessageIo {
  packetSize(size: number): number;
}

/**
 * The driver cuts what it sends into packets of the size that the server names: into those that have room for nothing it
 * would cut for ever, and the process would do nothing else any more.
 * @param refused called when the server names a size that is none
 */
export function guardPacketSize(connection: object, refused: () => void): void {
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
