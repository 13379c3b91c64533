/** The types of access methods. One that is forgotten doesn't compile. */
import type { AccessKind } from '../../language/ast.js';
import type { AccessKindRow } from './access-kind.js';
import { BEARER_ACCESS } from './bearer.js';
import { JWT_ACCESS } from './jwt-access.js';
import { PROVIDER_ACCESS } from './provider-access.js';
import { RECORD_ACCESS } from './record-access.js';

const KINDS: { readonly [K in AccessKind['kind']]: AccessKindRow<Extract<AccessKind, { readonly kind: K }>> } = {
  bearer: BEARER_ACCESS,
  jwt: JWT_ACCESS,
  provider: PROVIDER_ACCESS,
  record: RECORD_ACCESS,
};

/**
 * The row of an access method's type, which takes that access method, as a lookup by a type known only in general can't
 * tell the compiler.
 *
 *     accessKindOf(access.accessKind).hasRecordUsers(access.accessKind)
 */
export function accessKindOf({ kind }: AccessKind): AccessKindRow<AccessKind> {
  return KINDS[kind] as unknown as AccessKindRow<AccessKind>;
}
