import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, TLSSocket } from 'node:tls';
import { Answer } from './answer';
import { Dropped, errorOf, type Faults, SqlError } from './faults';
import { type Message, messageTypes, PacketReader, packetsOf } from './packets';
import {
  batchOf,
  encryption,
  encryptionAsked,
  type Login,
  loginOf,
  preloginAnswer,
  procedureCallOf,
  type Statement,
} from './requests';
import { SourceClient } from './source-client';
import { encryptInPackets } from './tls-in-packets';
import { doneStatus, doneToken, loginTokens, messageToken } from './tokens';

/** How a login arrived: readable by everyone on the way, or encrypted. */
export type Encryption = 'none' | 'tls' | 'strict';

export interface LoginSeen {
  readonly user: string;
  readonly database: string;
  readonly encryption: Encryption;
  readonly isAccepted: boolean;
}

/** What the sessions of a server share. */
export interface SessionContext {
  /** URL of PostgreSQL. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly name: string;
  readonly tls: 'optional' | 'required' | 'none' | 'strict';
  /** PEM. */
  readonly identity: { readonly key: string; readonly cert: string };
  readonly faults: Faults;
  readonly logins: LoginSeen[];
  readonly queries: string[];
}

const firstPacketSize = 4096;
const tlsHandshakeRecord = 0x16;

/** One connection, from its first byte to its end. */
export class Session {
  /** Resolves when the connection has ended and released everything. */
  readonly closed: Promise<void>;
  private channel: Duplex;
  private encryption: Encryption = 'none';
  private packetSize = firstPacketSize;
  private isLoggedIn = false;
  private readonly source: SourceClient;
  /** Aborted when the client sends an attention, and when the connection ends. */
  private interruption = new AbortController();
  private work: Promise<void> = Promise.resolve();

  constructor(
    private readonly socket: Socket,
    private readonly context: SessionContext,
  ) {
    this.channel = socket;
    this.source = new SourceClient(context.url);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.once('data', (first) => this.begin(first));
    const closed = new Promise((resolve) => socket.once('close', resolve)); // also after an error
    this.closed = closed.then(async () => {
      this.interruption.abort();
      await this.work;
      await this.source.close();
    });
  }

  end(): void {
    this.socket.destroy();
  }

  private begin(first: Buffer): void {
    const { tls, identity } = this.context;
    const isStrict = first[0] === tlsHandshakeRecord;
    if (isStrict ? tls === 'none' : tls === 'strict') return void this.socket.destroy();
    this.socket.pause();
    this.socket.unshift(first);
    if (!isStrict) {
      this.listen(this.socket);
      return void this.socket.resume();
    }
    this.encryption = 'strict';
    const secureContext = createSecureContext(identity);
    const options = { isServer: true, secureContext, ALPNProtocols: ['tds/8.0'] };
    this.listen(new TLSSocket(this.socket, options)); // reads the unshifted bytes itself
  }

  private listen(channel: Duplex): void {
    this.channel = channel;
    const reader = new PacketReader((message) => this.take(message));
    channel.on('error', () => this.socket.destroy());
    channel.on('data', (chunk) => {
      try {
        reader.push(chunk);
      } catch {
        this.socket.destroy();
      }
    });
  }

  private take(message: Message): void {
    if (this.context.faults.silent) return;
    if (message.type === messageTypes.attention) this.interruption.abort();
    this.work = this.work.then(async () => {
      if (this.socket.destroyed) return;
      try {
        await this.handle(message);
      } catch {
        this.socket.destroy(); // a message that no server would understand, or a closed connection
      }
    });
  }

  private async handle({ type, data }: Message): Promise<void> {
    if (type === messageTypes.prelogin && !this.isLoggedIn) return this.prelogin(data);
    if (type === messageTypes.login && !this.isLoggedIn) return this.login(loginOf(data));
    if (!this.isLoggedIn) throw new Error('It has not logged in');
    if (type === messageTypes.attention) return this.acknowledge();
    if (type === messageTypes.sqlBatch) return this.answer(batchOf(data));
    if (type === messageTypes.rpc) return this.answer(procedureCallOf(data));
    throw new Error(`No message of type ${type} is answered`);
  }

  private prelogin(data: Buffer): void {
    const { tls, faults, identity } = this.context;
    const asked = encryptionAsked(data);
    const wants = asked === encryption.on || asked === encryption.required;
    const isOffered = this.encryption === 'none' && tls !== 'none' && !faults.noEncryption;
    const isUsed = isOffered && (wants || tls === 'required');
    const offered = !isUsed
      ? encryption.notSupported
      : tls === 'required'
        ? encryption.required
        : encryption.on;
    this.send(preloginAnswer(offered));
    if (!isUsed) return;
    this.socket.removeAllListeners('data');
    this.encryption = 'tls';
    this.listen(encryptInPackets(this.socket, identity));
  }

  private login({ user, password, database, packetSize }: Login): void {
    const { context } = this;
    const error = this.loginError(user, password, database);
    const isAccepted = error === undefined;
    context.logins.push({ user, database, encryption: this.encryption, isAccepted });
    if (error) {
      this.send(Buffer.concat([tokenOf(error), doneToken('batch', doneStatus.hasError)]));
      return void this.channel.end();
    }
    const size = Math.min(Math.max(packetSize || firstPacketSize, 512), 32_767);
    this.send(loginTokens({ database: context.name, packetSize: size }));
    this.packetSize = size;
    this.isLoggedIn = true;
  }

  private loginError(user: string, password: string, database: string): SqlError | undefined {
    const { context } = this;
    const { refuseLogin } = context.faults;
    if (refuseLogin && refuseLogin.times !== 0) {
      if (refuseLogin.times !== undefined) refuseLogin.times--;
      return errorOf(refuseLogin.number, refuseLogin.number === 18456 ? user : database);
    }
    if (user !== context.user || password !== context.password) return errorOf(18456, user);
    if (database !== '' && database.toLowerCase() !== context.name.toLowerCase())
      return errorOf(4060, database);
    return undefined;
  }

  private async answer(statement: Statement | undefined): Promise<void> {
    if (!statement) {
      const error = new SqlError(2812, 'Could not find stored procedure.');
      return this.send(Buffer.concat([tokenOf(error), doneToken('procedure', doneStatus.hasError)]));
    }
    const { faults, queries } = this.context;
    queries.push(statement.sql);
    const { signal } = this.interruption;
    const answer = new Answer({
      channel: this.channel,
      packetSize: this.packetSize,
      source: this.source,
      faults,
      signal,
    });
    try {
      await answer.give(statement);
    } catch (error) {
      if (!(error instanceof Dropped)) throw error;
      this.channel.end();
    }
  }

  /** The interrupted answer has already ended with its own message. */
  private acknowledge(): void {
    this.interruption = new AbortController();
    this.send(doneToken('batch', doneStatus.isAttention));
  }

  private send(tokens: Buffer): void {
    this.channel.write(packetsOf(messageTypes.result, tokens, this.packetSize));
  }
}

export const tokenOf = ({ number, message, level }: SqlError): Buffer =>
  messageToken({ number, text: message, level });
