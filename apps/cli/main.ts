import 'reflect-metadata';
import { loadConfig } from '#platform/config';
import { run } from './cli';

run(process.argv.slice(2), {
  config: loadConfig,
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  screen: process.stderr.isTTY ? process.stderr : undefined,
}).then((code) => {
  process.exitCode = code;
});
