// Preloaded into the processes that tests start: they stop when the test process has ended, even if it was killed.
// Their worker threads preload it too, but have no channel.
if (process.channel) {
  process.on('disconnect', () => {
    setTimeout(() => process.exit(1), 10_000).unref();
    process.kill(process.pid, 'SIGTERM');
  });
  process.channel.unref();
}
