import type { Json } from '../support/client';

export interface Ended {
  /** The exit code. */
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the operator's commands, as `npm run cli` does, in a given environment. */
export class Operator {
  constructor(private readonly env: Record<string, string>) {}

  /** Runs a command. @returns its JSON output @throws with everything it wrote when the exit code is not 0 */
  async run(args: string[]): Promise<Json> {
    const { code, stdout, stderr } = await this.ask(args);
    if (code !== 0) throw new Error(`cli ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
    return JSON.parse(stdout);
  }

  /** Runs a command that may fail. */
  async ask(args: string[]): Promise<Ended> {
    const { TEST_OPERATOR_URL: url } = process.env;
    if (!url) throw new Error('Only tests named *.int.spec.ts and *.e2e.spec.ts have an operator');
    const body = JSON.stringify({ args: [...args, '--json'], env: { NODE_ENV: 'test', ...this.env } });
    const answer = await fetch(url, { method: 'POST', body });
    if (!answer.ok) throw new Error(`cli ${args.join(' ')}: ${await answer.text()}`);
    return (await answer.json()) as Ended;
  }
}
