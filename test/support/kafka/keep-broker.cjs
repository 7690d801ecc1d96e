// Runs a broker for the process at the other end of its channel, and ends it when that process has ended, even if it
// was killed.
// Usage: keep-broker.cjs FOLDER LOG ARGUMENTS…, with the arguments of java. FOLDER, unless empty, is removed at the
// end.
// It takes the messages start and kill, and sends a message when the broker has ended.
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
  // The broker's exit calls this function again. A broker whose data is kept ends in an orderly way.
  if (broker) broker.kill(folder ? 'SIGKILL' : 'SIGTERM');
  else if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

process.on('message', (order) => (order === 'start' ? start() : broker?.kill('SIGKILL')));
process.on('disconnect', end);
