import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { createSecureContext, TLSSocket } from 'node:tls';
import { messageTypes, PacketReader, packetsOf } from './packets';

const handshakePacketSize = 4096;

/**
 * Encrypts everything after a PRELOGIN. The bytes of the TLS handshake are the content of PRELOGIN messages. After it
 * they are sent directly, and the packets are inside them.
 * @see MS-TDS 3.2.5.2
 */
export function encryptInPackets(socket: Socket, identity: { key: string; cert: string }): TLSSocket {
  const carrier = new Carrier(socket);
  // A TLS 1.3 handshake continues after its end, when packets no longer enclose it.
  const secureContext = createSecureContext({ ...identity, maxVersion: 'TLSv1.2' });
  const secure = new TLSSocket(carrier, { isServer: true, secureContext });
  socket.on('close', () => secure.destroy());
  secure.on('close', () => socket.destroy());
  return secure;
}

class Carrier extends Duplex {
  private isInPackets = true;
  private readonly handshake = new PacketReader(({ data }) => this.push(data));

  constructor(private readonly socket: Socket) {
    super();
    socket.on('data', (chunk) => this.receive(chunk));
    socket.on('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  override _read(): void {
    // Clients send little, which is taken as it comes.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.socket.write(this.wrapped(chunk), done);
  }

  /**
   * Sends everything that TLS has to say at a time as one message: a client reads one answer for each of its own
   * messages.
   */
  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.socket.write(this.wrapped(Buffer.concat(chunks.map(({ chunk }) => chunk))), done);
  }

  override _final(done: () => void): void {
    this.socket.end(done);
  }

  private receive(chunk: Buffer): void {
    // The client knows first that the handshake is over: its next record is not enclosed in a packet.
    if (this.isInPackets && chunk[0] !== messageTypes.prelogin && this.handshake.isBetweenPackets)
      this.isInPackets = false;
    if (this.isInPackets) this.handshake.push(chunk);
    else this.push(chunk);
  }

  private wrapped(data: Buffer): Buffer {
    return this.isInPackets ? packetsOf(messageTypes.prelogin, data, handshakePacketSize) : data;
  }
}
