// Runs a broker for the process that holds its channel, and takes it away when that process is gone, however it ended.
// keep-broker.cjs FOLDER LOG ARGUMENTS…: the arguments of java; FOLDER, unless empty, is removed at the end.
// Messages: start, kill; it tells when the broker has ended.
const { spawn } = require('node:child_process');
const { openSync, rmSync } = require('node:fs');

const [folder, log, ...args] = process.argv.slice(2);
let broker;

function start() {
  const output = openSync(log, 'a');
  broker = spawn('java', args, { stdio: ['ignore', output, output] });
  broker.once('exit', () => {
    broker = undefined;
    if (process.connected) process.send('ended');
    else end();
  });
}

function end() {
  // its exit comes back here; data that stays is worth an orderly end
  if (broker) broker.kill(folder ? 'SIGKILL' : 'SIGTERM');
  else if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

process.on('message', (order) => (order === 'start' ? start() : broker?.kill('SIGKILL')));
process.on('disconnect', end);
