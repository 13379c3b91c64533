import type { Timers } from '../../src/env/environment.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { rangeRevisionConformance } from './range-revisions.js';
import { storageConformance } from './storage.js';

async function inMemory(timers: Timers) {
  const engine = new MemoryEngine({ timers });
  return { engine, dispose: () => engine.close() };
}

storageConformance('memory', inMemory);
rangeRevisionConformance('memory', inMemory);
