/** Tells people of changes to their ways in, at the address that they had proved before. */
import type { IdentityGrant } from '../../catalog/credentials/identity.js';
import type { RecordId } from '../../value/value.js';
import type { IdentityRows } from '../directory.js';
import type { MailText } from './mail-text.js';

/** How long a notice may wait for a mail server. */
const LIFETIME = 24n * 60n * 60_000_000_000n;

/** Queues a notice, unless the database says NOTIFY NONE. */
export async function tell(rows: IdentityRows, { kind, subject, access }: IdentityGrant, mail: MailText, now: bigint) {
  if (kind !== 'mail' || rows.app.config?.notify === false) return;
  await rows.queueMail({ ...mail, kind: 'notice', to: subject, access, expires: now + LIFETIME });
}

/** Queues a notice to the addresses that a record has proved; none, if it has proved none. */
export async function tellRecord(rows: IdentityRows, record: RecordId, mail: MailText, now: bigint): Promise<void> {
  for (const identity of await rows.identities.ofRecord(record)) await tell(rows, identity, mail, now);
}
