// Loaded into a server before it starts: tells what it uses when it is asked; with `--expose-gc`, once the garbage is gone.
process.on('message', async (message) => {
  if (message !== 'usage') return;
  await collect();
  const { user, system } = process.cpuUsage();
  process.send({ processor: user + system, memory: process.memoryUsage() });
});

/** Twice, since V8 takes what a collection frees outside of the heap off `external` when the next one begins. */
async function collect() {
  if (globalThis.gc === undefined) return;
  globalThis.gc();
  // The buffers are freed by a thread.
  await new Promise((resume) => setTimeout(resume, 50));
  globalThis.gc();
}

// So that a profile is written when it is stopped.
process.on('SIGTERM', () => setTimeout(() => process.exit(0), 1_000).unref());
