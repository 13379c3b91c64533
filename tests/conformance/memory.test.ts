import { MemoryEngine } from '../../src/storage/engines/memory.js';
import { storageConformance } from './storage.js';

storageConformance('memory', async (timers) => {
  const engine = new MemoryEngine({ timers });
  return { engine, dispose: () => engine.close() };
});
