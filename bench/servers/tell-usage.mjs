// Loaded into a server before it starts: tells what it uses when it is asked; with `--expose-gc`, once the garbage is gone.
process.on('message', (message) => {
  if (message !== 'usage') return;
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  process.send({ processor: user + system, memory: process.memoryUsage() });
});
// So that a profile is written when it is stopped.
process.on('SIGTERM', () => setTimeout(() => process.exit(0), 1_000).unref());
