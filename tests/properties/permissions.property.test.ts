/** The oracle of PERMISSIONS, over a store in memory. PERMISSION_RUNS and PERMISSION_SEED are as in `permissions/seed.ts`. */
import { describe } from 'vitest';
import { openEngine } from '../../src/storage/engines/open.js';
import { RUNS_ALL } from '../support/runs-all.js';
import { permissionOracle } from './permissions/oracle.js';
import { GIVEN_RUNS, SEED } from './permissions/seed.js';

describe('permissions', () => {
  permissionOracle({
    runs: Number(GIVEN_RUNS ?? (RUNS_ALL ? 200 : 100)),
    seed: SEED,
    open: () => openEngine('memory'),
  });
});
