/**
 * Checks a store: its definitions, and all data derived from records against the records. Changes nothing.
 */
import { readChangeEntry } from '../../catalog/changefeed/change-log.js';
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import { databasesWithEvents, readQueuedEvent } from '../../catalog/events/event-queue.js';
import { readFailedEvent } from '../../catalog/events/failed-events.js';
import { prefixRange } from '../../catalog/keys/key-bytes.js';
import {
  changesPrefixOf,
  changesRange,
  eventQueue,
  FORMER_EVENT_QUEUE,
  failedEventPrefix,
  mailPrefix,
} from '../../catalog/keys/store-keys.js';
import { databasesWithMails, readDoneMail, readWaitingMail } from '../../catalog/mail/outbox.js';
import type { Engine, Stored, Transaction } from '../../storage/contract.js';
import { APPENDED_LENGTH } from '../../storage/transaction/append.js';
import { checkedDatabases } from './databases.js';
import type { Faults } from './fault.js';
import { checkFileReferences } from './file-references.js';
import { checkFullText } from './full-text.js';
import { batchesOf, type CheckProgress, TableCheck } from './tables.js';

/** The engine reads damaged values as NULL (`LmdbOptions.damagedAsNull`): other checks report them. */
export async function checkEntries(engine: Engine, faults: Faults, progress: CheckProgress): Promise<void> {
  const transaction = await engine.begin({ writable: false });
  try {
    for (const catalog of await checkedDatabases(transaction, faults)) {
      for (const table of catalog.tables.values()) {
        await new TableCheck(transaction, catalog, table, faults, progress).run();
        await checkFullText(transaction, catalog, table, faults, progress);
      }
      await checkFileReferences(transaction, catalog, faults, progress);
      await checkChanges(transaction, catalog, faults, progress);
    }
    await checkEvents(transaction, faults, progress);
    await checkMails(transaction, faults, progress);
  } finally {
    transaction.cancel();
  }
}

// Checks logs: the entries of changefeeds, queued asynchronous events, and mails.

/** Checks that each entry of the changefeeds of a database can be read. */
async function checkChanges(
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

/** Checks that each asynchronous event that waits, or has failed, can be read. */
async function checkEvents(transaction: Transaction, faults: Faults, progress: CheckProgress): Promise<void> {
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
  for (const database of databases) {
    for await (const batch of batchesOf(transaction, prefixRange(failedEventPrefix(database)))) {
      for (const [, stored] of batch) {
        if (!canBeRead(readFailedEvent, stored))
          faults.add('events', 'the events that failed', 'an event that failed can’t be read');
      }
      progress(batch.length);
    }
  }
}

/** Checks that each mail of an outbox can be read. */
async function checkMails(transaction: Transaction, faults: Faults, progress: CheckProgress): Promise<void> {
  for (const database of await databasesWithMails(transaction)) {
    for (const [state, read] of [['waiting', readWaitingMail] as const, ['done', readDoneMail] as const]) {
      for await (const batch of batchesOf(transaction, prefixRange(mailPrefix(database, state)))) {
        for (const [, stored] of batch)
          if (!canBeRead(read, stored)) faults.add('mails', 'an outbox', 'a mail can’t be read');
        progress(batch.length);
      }
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
