/** Tells people of changes to their ways in, at the addresses that they had proved before. */
import type { IdentityGrant } from '../../catalog/credentials/identity.js';
import { TesseraError } from '../../errors/error.js';
import type { IdentityRows } from '../directory.js';
import type { MailText } from './mail-text.js';

/** How long a notice may wait for a mail server. */
const LIFETIME = 24n * 60n * 60_000_000_000n;

/**
 * Queues a notice of a change of `identity`: to its own address if mails prove it, else to those that its record has
 * proved otherwise. Not if the database says NOTIFY NONE, or sends no mails.
 */
export async function tell(rows: IdentityRows, identity: IdentityGrant, mail: MailText, now: bigint): Promise<void> {
  if (rows.app.config?.notify === false) return;
  for (const to of await addressesFor(rows, identity)) {
    try {
      const expires = now + LIFETIME;
      await rows.queueMail({ ...mail, kind: 'notice', to, access: identity.access, expires });
    } catch (error) {
      if (error instanceof TesseraError && error.code === 'mail_unavailable') return;
      throw error;
    }
  }
}

async function addressesFor(rows: IdentityRows, { kind, subject, record, id }: IdentityGrant): Promise<Set<string>> {
  if (kind === 'mail') return new Set([subject]);
  const others = (await rows.identities.ofRecord(record)).filter((identity) => identity.id !== id);
  return new Set(others.flatMap(({ address }) => address ?? []));
}
