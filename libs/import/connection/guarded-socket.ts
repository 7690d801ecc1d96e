import { once } from 'node:events';
import { Socket } from 'node:net';
import { isAddress } from '#platform/net/address';
import type { Destination } from '#platform/net/openings';
import type { Resolve } from '#platform/net/resolve';
import { SourceFailure } from './source-failure';
import type { SourceHosts } from './source-hosts';

/** First byte of a PRELOGIN packet. It negotiates options before any secret is sent, and also carries the TLS handshake. */
const PRELOGIN = 0x12;
/** First bytes of a TLS record: change of cipher, alert, handshake, data. */
const isTls = (byte: number) => byte >= 0x14 && byte <= 0x17;

/**
 * A socket that never sends a login unencrypted. When a server declares that it cannot encrypt, the driver continues without
 * encryption; this socket closes the connection instead, before user name and password are sent.
 */
class EncryptedSocket extends Socket {
  private isEncrypted = false;

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.isEncrypted ||= isTls(chunk[0]);
    if (this.isEncrypted || chunk[0] === PRELOGIN) super._write(chunk, encoding, done);
    else done(notEncrypted());
  }

  override _writev(
    chunks: { chunk: Buffer; encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ) {
    const whole = Buffer.concat(chunks.map(({ chunk }) => chunk));
    this._write(whole, 'buffer' as BufferEncoding, done);
  }
}

function notEncrypted(): SourceFailure {
  return new SourceFailure(
    'not_encrypted',
    'The server does not offer an encrypted connection, so that no login was sent to it. Install a certificate on ' +
      'the server.',
  );
}

interface Options {
  hosts: SourceHosts;
  resolve: Resolve;
  encrypt: boolean | 'strict';
  connectMs: number;
  signal: AbortSignal;
}

/**
 * Connects to one of the host's current addresses, all of which must be allowed. It connects to the address that was
 * checked, not to the name, which could resolve to another machine by then.
 * @throws SourceFailure `host_unknown`, `host_not_allowed`; otherwise the error of the first address
 */
export async function connectGuarded(to: Destination, options: Options): Promise<Socket> {
  const { hosts, encrypt, connectMs, signal } = options;
  const addresses = isAddress(to.host) ? [to.host] : await lookUp(to.host, options);
  if (addresses.length === 0 || addresses.some((address) => !hosts.allows(to, address)))
    throw new SourceFailure(
      'host_not_allowed',
      'The server is not on the public internet, and the operator has not allowed its address. Ask the operator to ' +
        'allow it.',
    );
  let first: unknown;
  for (const address of addresses) {
    signal.throwIfAborted();
    const socket = encrypt === true ? new EncryptedSocket() : new Socket();
    try {
      return await connected(socket, { host: address, port: to.port }, connectMs / addresses.length, signal);
    } catch (error) {
      first ??= error;
      socket.destroy();
    }
  }
  throw first;
}

async function connected(socket: Socket, to: Destination, ms: number, signal: AbortSignal): Promise<Socket> {
  const timer = setTimeout(() => socket.destroy(timedOut()), ms);
  const stop = () => socket.destroy(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    socket.connect({ ...to, noDelay: true });
    await once(socket, 'connect');
    return socket;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

function timedOut(): Error {
  return Object.assign(new Error('No connection in time.'), { code: 'ETIMEDOUT' });
}

async function lookUp(host: string, { resolve, signal }: Options): Promise<readonly string[]> {
  try {
    return await resolve(host);
  } catch (cause) {
    signal.throwIfAborted();
    throw Object.assign(new Error('The host has no address.', { cause }), { code: 'ENOTFOUND' });
  }
}
