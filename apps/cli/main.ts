import 'reflect-metadata';
import { loadConfig } from '#platform/config';
import { run } from './cli';
import { explainTo } from './commands/explain';

const err = (text: string) => process.stderr.write(`${text}\n`);

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of the output has closed it, as `head` does.
  if (error.code === 'EPIPE') process.exit();
  explainTo(err, error, process.argv.includes('--json'));
  process.exit(1);
});
// With standard error closed, no error can be reported any more.
process.stderr.on('error', () => process.exit(1));

run(process.argv.slice(2), {
  config: loadConfig,
  out: (text) => process.stdout.write(`${text}\n`),
  err,
  screen: process.stderr.isTTY ? process.stderr : undefined,
}).then((code) => {
  process.exitCode = code;
});
