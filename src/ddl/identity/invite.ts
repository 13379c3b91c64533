/** ACCESS … GRANT at an access method WITH MAIL: an invitation, mailed to the record's address. */
import type { IdentityRows } from '../../auth/directory.js';
import { wayUrl } from '../../auth/ways/addresses.js';
import { invitationMail } from '../../auth/ways/mail-text.js';
import { type Grant, type GrantSubject, generateGrant } from '../../catalog/credentials/grant.js';
import type { AccessDefinition } from '../../catalog/definitions/definition.js';
import { mailAddress } from '../../catalog/mail/address.js';
import { failure } from '../../errors/error.js';
import { selectedDatabase } from '../../runtime/authorization/selected-database.js';
import type { Execution } from '../../runtime/execution.js';
import { datetimeNanoseconds } from '../../value/time/datetime.js';

/** How long an invitation is valid. */
const LIFETIME = 7n * 24n * 60n * 60_000_000_000n;

/**
 * The address is the one that the record has proved at the access method, or else its field `email`.
 * @throws TesseraError `grant_subject_invalid`, `address_invalid`, `redirect_unknown`, `public_url_missing`,
 * `mail_unavailable`
 */
export async function invite(
  execution: Execution,
  rows: IdentityRows,
  { name: access }: AccessDefinition,
  subject: GrantSubject,
): Promise<Grant> {
  const { services } = execution;
  if (subject.kind !== 'record') throw failure('grant_subject_invalid');
  const [identity] = await rows.identities.ofRecordAt(subject.record, access, 'mail');
  const record = await rows.record(subject.record);
  const address = identity?.subject ?? mailAddress(record?.['email']);
  if (address === undefined) throw failure('address_invalid');
  if (rows.app.redirects.length === 0) throw failure('redirect_unknown');
  const { environment, publicUrls } = services;
  const place = { databasePath: selectedDatabase(execution), access };
  const url = wayUrl(publicUrls, rows.app, place, 'confirm');
  const { grant, key } = generateGrant(environment, 'invitation', { access, subject, address, lifetime: LIFETIME });
  rows.grants(access).put(grant);
  const expires = datetimeNanoseconds(grant.creation) + LIFETIME;
  const mail = invitationMail(rows.app, `${url}#${key}`);
  await rows.queueMail({ ...mail, kind: 'invitation', to: address, access, expires });
  return grant;
}
