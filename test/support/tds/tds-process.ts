import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cached } from '../process';
import type { Faults } from './faults';
import type { LoginSeen } from './session';
import { type ConnectionStringParts, connectionStringOf, type TdsOptions, withDefaults } from './tds-options';

export interface TdsState {
  /** The number of open connections. */
  connections: number;
  logins: LoginSeen[];
  queries: string[];
}

interface Started {
  port: number;
  host: string;
  caCertificate: string;
}

/** Commands to the process. */
export type TdsCommand = { id: number } & (
  | { does: 'start'; options: TdsOptions }
  | { does: 'fail'; faults: Faults }
  | { does: 'tell' }
);

export interface TdsReply {
  id: number;
  answer?: Started | TdsState;
  error?: string;
}

/** A TdsServer that shares no thread with its client. */
export interface TdsProcess extends Started {
  readonly pid: number;
  connectionString(parts?: ConnectionStringParts): string;
  /** Changes the named faults. Undefined removes one. */
  fail(faults: Faults): Promise<void>;
  state(): Promise<TdsState>;
  stop(): Promise<void>;
}

/** Starts a TDS process, which ends with this process at the latest. */
export async function startTdsProcess(options: TdsOptions): Promise<TdsProcess> {
  const child = fork(require.resolve('./run.ts'), [], {
    execArgv: [
      ...cached,
      '--conditions',
      'source',
      '--require',
      require.resolve('../register-typescript.cjs'),
    ],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'test' },
    serialization: 'advanced', // keeps undefined and Infinity
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const tell = conversation(child, exited);
  const stop = async () => {
    if (child.connected) child.disconnect();
    await exited;
  };
  try {
    const started = (await tell({ does: 'start', options })) as Started;
    const { user, password, name } = withDefaults(options);
    return {
      ...started,
      pid: child.pid!,
      connectionString: (parts) => connectionStringOf({ ...started, user, password, name, ...parts }),
      fail: async (faults) => void (await tell({ does: 'fail', faults })),
      state: async () => (await tell({ does: 'tell' })) as TdsState,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Told<Command> = Command extends TdsCommand ? Omit<Command, 'id'> : never;

function conversation(child: ChildProcess, exited: Promise<unknown>) {
  let id = 0;
  return async (command: Told<TdsCommand>): Promise<TdsReply['answer']> => {
    if (!child.connected) throw new Error('The TDS server has ended');
    const own = ++id;
    const replied = new Promise<TdsReply>((resolve) => {
      child.on('message', function take(reply: TdsReply) {
        if (reply.id !== own) return;
        child.off('message', take);
        resolve(reply);
      });
    });
    child.send({ id: own, ...command }, () => {}); // if it cannot be sent, the end of the process is the answer
    const reply = await Promise.race([
      replied,
      exited.then((): TdsReply => ({ id: own, error: 'The TDS server has ended' })),
    ]);
    if (reply.error !== undefined) throw new Error(reply.error);
    return reply.answer;
  };
}
