/** Kinds of messages. @see MS-TDS 2.2.3.1.1 */
export const messageTypes = {
  sqlBatch: 0x01,
  rpc: 0x03,
  result: 0x04,
  attention: 0x06,
  login: 0x10,
  prelogin: 0x12,
} as const;

export interface Message {
  readonly type: number;
  readonly data: Buffer;
}

const headerLength = 8;
const isLast = 0x01;
const isToBeIgnored = 0x02;

/** Joins the packets of a stream into messages. */
export class PacketReader {
  private rest: Buffer = Buffer.alloc(0);
  private parts: Buffer[] = [];

  constructor(private readonly take: (message: Message) => void) {}

  get isBetweenPackets(): boolean {
    return this.rest.length === 0;
  }

  /** @throws when the chunk is not a packet */
  push(chunk: Buffer): void {
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    while (this.rest.length >= headerLength) {
      const length = this.rest.readUInt16BE(2);
      if (length < headerLength) throw new Error('A packet is shorter than its header');
      if (this.rest.length < length) return;
      const packet = this.rest.subarray(0, length);
      this.rest = this.rest.subarray(length);
      this.add(packet[0], packet[1], packet.subarray(headerLength));
    }
  }

  private add(type: number, status: number, data: Buffer): void {
    this.parts.push(data);
    if (!(status & isLast)) return;
    const whole = this.parts.length === 1 ? data : Buffer.concat(this.parts);
    this.parts = [];
    if (!(status & isToBeIgnored)) this.take({ type, data: whole });
  }
}

/** A whole message, in packets. */
export function packetsOf(type: number, data: Buffer, size: number): Buffer {
  return new PacketCutter(type, size).end(data);
}

/** Cuts one message, which is written in pieces, into packets of a given size, including the header. */
export class PacketCutter {
  private held: Buffer = Buffer.alloc(0);

  constructor(
    private readonly type: number,
    private readonly size: number,
  ) {}

  /** The packets that are full. The rest is held back. */
  cut(data: Buffer): Buffer {
    const all = this.join(data);
    const room = this.size - headerLength;
    // At least one byte is held back for the packet that is marked as the last.
    const full = Math.max(0, Math.ceil(all.length / room) - 1);
    this.held = Buffer.from(all.subarray(full * room)); // a copy, because the writer reuses its buffer
    return this.packets(all.subarray(0, full * room), false);
  }

  /** What was held back, in its own packet. */
  flush(): Buffer {
    const { held } = this;
    this.held = Buffer.alloc(0);
    return held.length === 0 ? held : this.packets(held, false);
  }

  end(data: Buffer): Buffer {
    const all = this.join(data);
    this.held = Buffer.alloc(0);
    return this.packets(all, true);
  }

  private join(data: Buffer): Buffer {
    return this.held.length === 0 ? data : Buffer.concat([this.held, data]);
  }

  private packets(data: Buffer, endsMessage: boolean): Buffer {
    const room = this.size - headerLength;
    const count = endsMessage ? Math.max(1, Math.ceil(data.length / room)) : Math.ceil(data.length / room);
    const packets = Buffer.allocUnsafe(data.length + count * headerLength);
    for (let index = 0, to = 0; index < count; index++) {
      const part = data.subarray(index * room, (index + 1) * room);
      packets[to] = this.type;
      packets[to + 1] = endsMessage && index === count - 1 ? isLast : 0;
      packets.writeUInt16BE(part.length + headerLength, to + 2);
      packets.writeUInt16BE(0, to + 4); // no process id
      packets[to + 6] = index + 1; // modulo 256
      packets[to + 7] = 0;
      part.copy(packets, to + headerLength);
      to += part.length + headerLength;
    }
    return packets;
  }
}
