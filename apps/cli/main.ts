import 'reflect-metadata';
import { loadConfig } from '#platform/config';
import { run } from './cli';
import { explainTo } from './commands/explain';

const err = (text: string) => process.stderr.write(`${text}\n`);

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever read has seen enough, as `head` has.
  if (error.code === 'EPIPE') process.exit();
  explainTo(err, error, process.argv.includes('--json'));
  process.exit(1);
});
// There is nobody left to tell.
process.stderr.on('error', () => process.exit(1));

run(process.argv.slice(2), {
  config: loadConfig,
  out: (text) => process.stdout.write(`${text}\n`),
  err,
  screen: process.stderr.isTTY ? process.stderr : undefined,
}).then((code) => {
  process.exitCode = code;
});
