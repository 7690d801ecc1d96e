import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Json } from '../support/client';

interface Ended {
  id: number;
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the operator's commands, as `npm run cli` does, in one process of a given environment. */
export class Operator {
  private child?: ChildProcess;
  private commands = 0;
  private readonly waiting = new Map<number, (ended: Ended) => void>();

  constructor(private readonly env: Record<string, string>) {}

  /** The command's answer. @throws with what it wrote when it does not end with 0 */
  async run(args: string[]): Promise<Json> {
    this.child ??= this.start();
    const id = ++this.commands;
    const ending = new Promise<Ended>((resolve) => this.waiting.set(id, resolve));
    this.child.send({ id, args: [...args, '--json'] });
    const { code, stdout, stderr } = await ending;
    if (code !== 0) throw new Error(`cli ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
    return JSON.parse(stdout);
  }

  async close(): Promise<void> {
    if (!this.child?.connected) return;
    const gone = once(this.child, 'exit');
    this.child.disconnect();
    await gone;
  }

  private start(): ChildProcess {
    const { PATH = '', HOME = '' } = process.env;
    const child = fork(require.resolve('../support/operator.cjs'), [], {
      execArgv: ['--require', require.resolve('../support/exit-with-parent.cjs')],
      env: { PATH, HOME, NODE_ENV: 'test', ...this.env },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child.on('message', (message) => {
      const ended = message as Ended;
      this.waiting.get(ended.id)?.(ended);
      this.waiting.delete(ended.id);
    });
    child.on('exit', (code, signal) => {
      const lost = { code: 1, stdout: '', stderr: `its process has ended with ${code ?? signal}` };
      for (const [id, end] of this.waiting) end({ id, ...lost });
      this.waiting.clear();
    });
    return child;
  }
}
