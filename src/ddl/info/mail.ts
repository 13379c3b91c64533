/** INFO FOR MAIL: the mails of a database that wait, and what became of others until they expire. */
import { prefixRange } from '../../catalog/keys/key-bytes.js';
import { mailPrefix } from '../../catalog/keys/store-keys.js';
import { type DoneMail, readDoneMail, readWaitingMail, type WaitingMail } from '../../catalog/mail/outbox.js';
import { authorize } from '../../runtime/authorization/authorize.js';
import { selectedDatabase } from '../../runtime/authorization/selected-database.js';
import type { Execution } from '../../runtime/execution.js';
import type { Stored } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import { toDatetime } from '../../value/time/datetime.js';
import { type ObjectValue, objectFrom } from '../../value/value.js';

/** Mails of each kind that are listed: those that are due first, and those that are kept longest. */
const MOST_LISTED = 1_000;

/**
 * The rows of INFO FOR MAIL, for owners of the database: what is known of mails, but their texts.
 * @throws TesseraError `not_allowed`
 */
export async function mailList(execution: Execution): Promise<ObjectValue[]> {
  const databasePath = selectedDatabase(execution);
  authorize(execution.identity, 'own', databasePath, 'Config');
  const catalog = await execution.context.catalog();
  if (catalog === undefined) return [];
  const rows = async (state: 'waiting' | 'done', reverse: boolean) => {
    const found: Stored[] = [];
    const range = prefixRange(mailPrefix(catalog.database.id, state));
    const { transaction } = execution.context;
    await forEachBatch(transaction.scan(range, { limit: MOST_LISTED, reverse }), async (batch) => {
      for (const [, stored] of batch) found.push(stored);
      await execution.interrupt.checkpoint();
      return false;
    });
    return found;
  };
  const waiting = await rows('waiting', false);
  const done = await rows('done', true);
  return [
    ...waiting
      .map(readWaitingMail)
      .map((mail) => objectFrom({ ...common(mail, 'waiting'), due: toDatetime(mail.due) })),
    ...done.map(readDoneMail).map((mail) => objectFrom({ ...common(mail, mail.state), at: toDatetime(mail.at) })),
  ];
}

function common(mail: WaitingMail | DoneMail, state: DoneMail['state'] | 'waiting') {
  const { access, created, expires, id, kind, reason, to, tries } = mail;
  return { access, created: toDatetime(created), expires: toDatetime(expires), id, kind, reason, state, to, tries };
}
