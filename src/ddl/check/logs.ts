/** Checks logs: the entries of changefeeds, and queued asynchronous events. */

import { readChangeEntry } from '../../catalog/changefeed/change-log.js';
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import { databasesWithEvents, readQueuedEvent } from '../../catalog/events/event-queue.js';
import { prefixRange } from '../../catalog/keys/key-bytes.js';
import { changesPrefixOf, changesRange, eventQueue, FORMER_EVENT_QUEUE } from '../../catalog/keys/store-keys.js';
import type { Stored, Transaction } from '../../storage/contract.js';
import { APPENDED_LENGTH } from '../../storage/transaction/append.js';
import type { Faults } from './fault.js';
import { batchesOf, type CheckProgress } from './tables.js';

/** Checks that each entry of the changefeeds of a database can be read. */
export async function checkChanges(
  transaction: Transaction,
  { database, namespace }: DatabaseCatalog,
  faults: Faults,
  progress: CheckProgress,
): Promise<void> {
  const place = `database ${namespace.name}/${database.name}`;
  for await (const batch of batchesOf(transaction, changesRange(database.id))) {
    for (const [key, stored] of batch) {
      if (key.length !== changesPrefixOf(key).length + APPENDED_LENGTH)
        faults.add('changes', place, 'the key of an entry of a changefeed can’t be read');
      else if (!canBeRead(readChangeEntry, stored))
        faults.add('changes', place, 'an entry of a changefeed can’t be read');
    }
    progress(batch.length);
  }
}

/** Checks that each queued asynchronous event can be read. */
export async function checkEvents(transaction: Transaction, faults: Faults, progress: CheckProgress): Promise<void> {
  const databases = await databasesWithEvents(transaction);
  for (const queue of [FORMER_EVENT_QUEUE, ...databases.map(eventQueue)]) {
    for await (const batch of batchesOf(transaction, prefixRange(queue))) {
      for (const [key, stored] of batch) {
        if (key.length !== queue.length + APPENDED_LENGTH || !canBeRead(readQueuedEvent, stored))
          faults.add('events', 'the queue of events', 'an event that waits can’t be read');
      }
      progress(batch.length);
    }
  }
}

/** Damaged values are reported with the values. */
function canBeRead(read: (stored: Stored) => unknown, stored: Stored): boolean {
  if (stored === null) return true;
  try {
    read(stored);
    return true;
  } catch {
    return false;
  }
}
