const { existsSync, readFileSync, realpathSync, rmSync } = require('node:fs');
const { join } = require('node:path');

/** Removes a data folder of embedded PostgreSQL, and kills a server that still runs in it. */
function removeDataDir(dataDir) {
  const link = join(dataDir, 'postgres');
  if (existsSync(link)) {
    const folder = realpathSync(link);
    killServer(join(folder, 'data'));
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
}

function killServer(data) {
  const pidFile = join(data, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  const commandLine = `/proc/${pid}/cmdline`;
  const isOurs = existsSync('/proc/self')
    ? () => existsSync(commandLine) && readFileSync(commandLine, 'utf8').includes(data)
    : () => existsSync(pidFile);
  if (!isOurs()) return;
  process.kill(pid, 'SIGQUIT');
  while (isOurs()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}

module.exports = { removeDataDir };

// Run as a program, it waits until its input is closed, even by a killed process, and then removes the folder.
if (require.main === module) {
  process.on('SIGINT', () => {});
  process.stdin.resume().on('end', () => removeDataDir(process.argv[2]));
}
