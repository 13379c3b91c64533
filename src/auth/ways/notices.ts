/** Tells people of changes to their ways in, at the addresses that they had proved before. */
import type { IdentityGrant } from '../../catalog/credentials/identity.js';
import { TesseraError } from '../../errors/error.js';
import type { IdentityRows } from '../directory.js';
import type { MailText } from './mail-text.js';

/** How long a notice may wait for a mail server. */
const LIFETIME = 24n * 60n * 60_000_000_000n;

/** Queues a notice to the address of an identity that mails prove. */
export function tell(rows: IdentityRows, identity: IdentityGrant, mail: MailText, now: bigint): Promise<void> {
  return queue(rows, [identity.subject], identity.access, mail, now);
}

/** Queues a notice to the addresses that the record of an identity has proved by others. */
export async function tellOthers(rows: IdentityRows, identity: IdentityGrant, mail: MailText, now: bigint) {
  const all = await rows.identities.ofRecord(identity.record);
  const addresses = all.filter(({ id }) => id !== identity.id).flatMap(({ address }) => address ?? []);
  const others = [...new Set(addresses)].filter((address) => address !== identity.subject);
  return queue(rows, others, identity.access, mail, now);
}

/** Not if the database says NOTIFY NONE, or sends no mails. */
async function queue(rows: IdentityRows, addresses: readonly string[], access: string, mail: MailText, now: bigint) {
  if (rows.app.config?.notify === false) return;
  try {
    for (const to of addresses) await rows.queueMail({ ...mail, kind: 'notice', to, access, expires: now + LIFETIME });
  } catch (error) {
    if (!(error instanceof TesseraError) || error.code !== 'mail_unavailable') throw error;
  }
}
