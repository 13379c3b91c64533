import type { Engine } from '../../src/storage/contract.js';

/** Commits two records that belong together and the number of the round, for tests that kill the process between them. */
export async function commitPair(engine: Engine, name: string, round: number): Promise<void> {
  const transaction = await engine.begin({ writable: true });
  transaction.put(`left/${name}/${round}`, 'x'.repeat(round % 5_000));
  transaction.put(`last/${name}`, round);
  transaction.put(`right/${name}/${round}`, round);
  await transaction.commit();
}
