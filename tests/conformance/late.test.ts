/** An engine that answers later keeps the contract as well, in whatever order answers come. */
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { LateEngine, Lateness, seeded } from '../support/late-engine.js';
import { storageConformance } from './storage.js';

const SEED = Number(process.env['LATENESS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

storageConformance(`late (seed ${SEED})`, async (timers) => {
  const engine = new LateEngine(new MemoryEngine({ timers }), new Lateness(3, seeded(SEED)));
  return { engine, dispose: () => engine.close() };
});
