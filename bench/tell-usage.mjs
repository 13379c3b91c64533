// Loaded into a server before it starts: tells what it uses when it is asked.
process.on('message', () => {
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  process.send({ processor: user + system, memory: process.memoryUsage() });
});
