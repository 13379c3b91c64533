/** ACCESS … LINK: an owner ties what a user is elsewhere to a record, such as one that was imported. */
import type { IdentityRows } from '../../auth/directory.js';
import { wayRow } from '../../auth/ways/ways.js';
import { drawIdentityId, type IdentityGrant } from '../../catalog/credentials/identity.js';
import { failure } from '../../errors/error.js';
import type { AccessWay } from '../../language/ast.js';
import type { Execution } from '../../runtime/execution.js';
import { toText } from '../../value/text/text.js';
import { toDatetime } from '../../value/time/datetime.js';
import type { RecordId } from '../../value/value.js';

/**
 * @param text the subject as the provider has it, or an address
 * @throws TesseraError `access_method_mismatch`, `subject_invalid`, `record_missing`, `identity_taken`,
 * `too_many_identities`
 */
export async function linkIdentity(
  { services: { environment } }: Execution,
  rows: IdentityRows,
  access: { readonly name: string; readonly way: AccessWay },
  record: RecordId,
  text: string,
): Promise<IdentityGrant> {
  const { name, way } = access;
  const row = wayRow(way);
  if (row.linked === undefined) throw failure('access_method_mismatch');
  const linked = row.linked(way, text, record);
  if (linked === undefined) throw failure('subject_invalid');
  const incarnation = await rows.incarnationOf(record);
  if (incarnation === undefined) throw failure('record_missing', { id: toText(record) });
  const owner = await rows.owner(name, linked.subject);
  if (owner !== undefined) {
    if (toText(owner.record) !== toText(record)) throw failure('identity_taken', { access: name });
    return owner;
  }
  const most = row.identities === 'one' ? 1 : row.identities;
  const others = await rows.identities.ofRecordAt(record, name, way.kind);
  if (others.length >= most) throw failure('too_many_identities', { access: name, limit: most });
  const identity = {
    id: drawIdentityId(environment.random),
    access: name,
    kind: way.kind,
    ...linked,
    record,
    incarnation: incarnation.id,
    created: toDatetime(environment.clock.now()),
  };
  rows.identities.put(identity);
  return identity;
}
