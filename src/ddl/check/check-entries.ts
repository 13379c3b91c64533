/**
 * Checks a store: its definitions, and all data derived from records against the records. Changes nothing.
 */
import type { Engine } from '../../storage/contract.js';
import { checkedDatabases } from './databases.js';
import type { Faults } from './fault.js';
import { checkFullText } from './full-text.js';
import { checkChanges, checkEvents } from './logs.js';
import { type CheckProgress, TableCheck } from './tables.js';

/** The engine reads damaged values as NULL (`LmdbOptions.damagedAsNull`): other checks report them. */
export async function checkEntries(engine: Engine, faults: Faults, progress: CheckProgress): Promise<void> {
  const transaction = await engine.begin({ writable: false });
  try {
    for (const catalog of await checkedDatabases(transaction, faults)) {
      for (const table of catalog.tables.values()) {
        await new TableCheck(transaction, catalog, table, faults, progress).run();
        await checkFullText(transaction, catalog, table, faults, progress);
      }
      await checkChanges(transaction, catalog, faults, progress);
    }
    await checkEvents(transaction, faults, progress);
  } finally {
    transaction.cancel();
  }
}
