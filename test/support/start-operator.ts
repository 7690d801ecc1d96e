import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cached } from './process';

/** Starts the operator of a run. @returns the address that takes commands */
export async function startOperator(): Promise<{ url: string; stop(): Promise<void> }> {
  const child = fork(require.resolve('./operator.cjs'), [], {
    execArgv: [...cached, '--require', require.resolve('./exit-with-parent.cjs')],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const ended = exited.then(([code, signal]) => {
    throw new Error(`The operator has ended with ${code ?? signal}`);
  });
  const [url] = await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => undefined);
  return {
    url,
    async stop() {
      child.disconnect();
      await exited;
    },
  };
}
