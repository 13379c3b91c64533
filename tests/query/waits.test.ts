import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { LateEngine, Lateness } from '../support/late-engine.js';
import { waitBudgets } from '../support/wait-budgets.js';

waitBudgets('on a store that answers each call later', async (environment) => {
  const lateness = new Lateness();
  return { engine: new LateEngine(new MemoryEngine(environment), lateness), waits: () => lateness.waits };
});
