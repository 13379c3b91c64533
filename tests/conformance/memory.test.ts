import { MemoryEngine } from '../../src/storage/engines/memory.js';
import { storageConformance } from './storage.js';

storageConformance('memory', async () => {
  const engine = new MemoryEngine();
  return { engine, dispose: () => engine.close() };
});
