/** Checks the entries at files by which the records that refer to them are found. */
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import { fileEdgesRange, fileVertex, referrerAt } from '../../catalog/keys/edge-keys.js';
import type { Transaction } from '../../storage/contract.js';
import { decodeKey } from '../../value/codecs/key-codec.js';
import { toText } from '../../value/text/text.js';
import { FileReference } from '../../value/value.js';
import type { Faults } from './fault.js';
import { batchesOf, type CheckProgress, decodedEnd, refersTo } from './tables.js';

/** Checks all of a database. That each record's entries are there is checked with the records. */
export async function checkFileReferences(
  transaction: Transaction,
  catalog: DatabaseCatalog,
  faults: Faults,
  progress: CheckProgress,
): Promise<void> {
  const { database, namespace, tablesById } = catalog;
  const place = `files of ${namespace.name}/${database.name}`;
  const start = fileVertex(database.id, '').length;
  for await (const batch of batchesOf(transaction, fileEdgesRange(database.id))) {
    for (const [key] of batch) {
      const end = decodedEnd(key, start);
      const file = end === undefined ? undefined : decodeKey(key, start).value;
      if (!(file instanceof FileReference)) {
        faults.add('references', place, 'the key of a reference can’t be read');
        continue;
      }
      const by = referrerAt(key.slice(0, end), key);
      const table = tablesById.get(by.table);
      // Entries left by removed tables are never read.
      if (table === undefined) continue;
      const record = await transaction.get(table.keys.record(by.key));
      if (record === null || refersTo(record, file)) continue;
      faults.add(
        'references',
        place,
        `a record of ${table.definition.name} is said to refer to ${toText(file)}, and doesn’t`,
      );
    }
    progress(batch.length);
  }
}
