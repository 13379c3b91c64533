/** The oracle of PERMISSIONS, over a store in memory. `permissions/seed.ts` has what the environment may say. */
import { describe } from 'vitest';
import { openEngine } from '../../src/storage/open/open.js';
import { permissionOracle } from './permissions/oracle.js';
import { GIVEN_RUNS, SEED } from './permissions/seed.js';

describe('permissions', () => {
  const runs = Number(GIVEN_RUNS ?? 200);
  permissionOracle({ runs, seed: SEED, patience: 2_000, open: () => openEngine('memory') });
});
