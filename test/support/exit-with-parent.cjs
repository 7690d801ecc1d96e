// Preloaded into the processes that tests start: they stop when the test process is gone, however it ended.
// (A worker thread of theirs preloads it too, and has no channel.)
if (process.channel) {
  process.on('disconnect', () => {
    setTimeout(() => process.exit(1), 10_000).unref();
    process.kill(process.pid, 'SIGTERM');
  });
  process.channel.unref();
}
