// node pg-dump.cjs <url> [option …] prints a dump of a database, as INSERT statements.
//
// This is PostgreSQL's own pg_dump 18, compiled to WebAssembly: no package contains the program, and an older one
// refuses a newer server. It expects a database in its own thread and needs each answer at once. So the connection to
// the server is in a worker, and this thread sleeps until an answer is complete.
const { createConnection } = require('node:net');
const {
  MessageChannel,
  receiveMessageOnPort,
  Worker,
  isMainThread,
  workerData,
} = require('node:worker_threads');

/** The length of the first message, if it is complete. Only the first message of a connection has no type byte. */
function lengthOf(bytes, isTyped) {
  const header = isTyped ? 1 : 0;
  if (bytes.length < header + 4) return undefined;
  const length = header + bytes.readInt32BE(header);
  return length <= bytes.length ? length : undefined;
}

/** Splits complete messages off. @returns them, and the remaining bytes */
function split(bytes, started) {
  const messages = [];
  let rest = bytes;
  for (let isTyped = started; ; isTyped = true) {
    const length = lengthOf(rest, isTyped);
    if (length === undefined) return { messages, rest };
    messages.push(rest.subarray(0, length));
    rest = rest.subarray(length);
  }
}

const typeOf = (message) => String.fromCharCode(message[0]);
/** Messages that the server answers: Query, Sync, and those with a password. */
const isQuestion = (message) => 'QSp'.includes(typeOf(message));
/** ReadyForQuery, or a request for the password. */
const endsAnswer = (message) =>
  typeOf(message) === 'Z' || (typeOf(message) === 'R' && ![0, 12].includes(message.readInt32BE(5)));

class Connection {
  constructor(url) {
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    this.counter = new Int32Array(new SharedArrayBuffer(4));
    const { hostname, port } = new URL(url);
    const workerData = {
      counter: this.counter,
      port: port2,
      address: { host: hostname, port: Number(port) },
    };
    this.worker = new Worker(__filename, { workerData, transferList: [port2] });
    this.unsent = Buffer.alloc(0);
    this.started = false;
  }

  /** Sends bytes. Once they complete a question, waits for the whole answer and hands it over. */
  execProtocolRawStream(bytes, { onRawData }) {
    this.port.postMessage(Uint8Array.from(bytes));
    const { messages, rest } = split(Buffer.concat([this.unsent, bytes]), this.started);
    this.unsent = Buffer.from(rest);
    const asks = messages.length > 0 && (!this.started || messages.some(isQuestion));
    this.started ||= messages.length > 0;
    if (!asks) return;
    for (let answer = Buffer.alloc(0), complete = false; !complete; ) {
      const chunk = this.receive();
      if (chunk === null) return;
      onRawData(chunk);
      const parts = split(Buffer.concat([answer, chunk]), true);
      answer = parts.rest;
      complete = answer.length === 0 && parts.messages.length > 0 && endsAnswer(parts.messages.at(-1));
    }
  }

  /** The next bytes from the server; null when it has closed the connection. */
  receive() {
    for (;;) {
      const seen = Atomics.load(this.counter, 0);
      const received = receiveMessageOnPort(this.port);
      if (received) return received.message;
      Atomics.wait(this.counter, 0, seen);
    }
  }

  // pgDump calls these as well, beside the protocol.
  async query() {
    return { rows: [{ search_path: 'public' }] };
  }
  async exec() {}
}

async function dump(url, ...options) {
  const { pgDump } = require('@electric-sql/pglite-tools/pg_dump');
  const connection = new Connection(url);
  const file = await pgDump({ pg: connection, args: ['--dbname', url, ...options] });
  await connection.worker.terminate();
  connection.port.close();
  process.stdout.write(await file.text());
}

function relay({ counter, port, address }) {
  const socket = createConnection(address);
  const tell = (message) => {
    port.postMessage(message);
    Atomics.add(counter, 0, 1);
    Atomics.notify(counter, 0);
  };
  socket.on('data', (bytes) => tell(bytes));
  socket.on('error', () => undefined); // the close follows
  socket.on('close', () => tell(null));
  port.on('message', (bytes) => socket.write(bytes));
}

if (isMainThread) {
  dump(...process.argv.slice(2)).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
} else relay(workerData);
