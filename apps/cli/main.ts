import 'reflect-metadata';
import { loadConfig } from '#platform/config';
import { run } from './cli';
import { explainTo } from './commands/explain';

const err = (text: string) => process.stderr.write(`${text}\n`);

/** The error when nobody reads what was printed last. */
let unread: Error | undefined;

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  const isClosed = error.code === 'EPIPE'; // by its reader, as `head` does
  if (isClosed && !unread) process.exit();
  explainTo(err, isClosed ? unread : error, process.argv.includes('--json'));
  process.exit(1);
});
// With standard error closed, no error can be reported any more.
process.stderr.on('error', () => process.exit(1));

run(process.argv.slice(2), {
  config: loadConfig,
  out: (text, ifUnread) => {
    unread = ifUnread;
    process.stdout.write(`${text}\n`);
  },
  err,
  screen: process.stderr.isTTY ? process.stderr : undefined,
}).then((code) => {
  process.exitCode = code;
});
