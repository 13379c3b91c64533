/** The mails that wait in the outbox of a database of tests. */

import { entriesOf } from '../../src/catalog/entries.js';
import { prefixRange } from '../../src/catalog/keys/key-bytes.js';
import { mailPrefix } from '../../src/catalog/keys/store-keys.js';
import { databasesWithMails, readWaitingMail, type WaitingMail } from '../../src/catalog/mail/outbox.js';
import type { Onward } from '../../src/session/contract.js';
import type { Engine } from '../../src/storage/contract.js';

/** All of them, in no order that means anything. */
export async function waitingMails(engine: Engine): Promise<readonly WaitingMail[]> {
  const transaction = await engine.begin({ writable: false });
  try {
    const found: WaitingMail[] = [];
    for (const database of await databasesWithMails(transaction)) {
      const entries = await entriesOf(transaction, prefixRange(mailPrefix(database, 'waiting')));
      found.push(...entries.map(([, stored]) => readWaitingMail(stored)));
    }
    return found;
  } finally {
    transaction.cancel();
  }
}

/** Where the app takes over from a mailed link. */
export function appUrl(onward: Onward): URL {
  if (onward.to !== 'app') throw new Error('the page of the server goes on');
  return new URL(onward.location);
}
