/**
 * Second factors of a record. They are the record's, not those of a way in: what one owes, it owes on every way that
 * alone gives `aal1`, so that no new way becomes a way around.
 */
import { failure } from '../../errors/error.js';
import type { AccessWay } from '../../language/ast.js';
import type { RecordId } from '../../value/value.js';
import type { Assurance } from '../assurance.js';
import type { IdentityRows } from '../directory.js';
import { hasCodesLeft } from './recovery.js';

/**
 * What a way is as a second factor:
 * - `owed`: a record that has one owes a second proof.
 * - `own`: it is worth two proofs, and a way in by itself. A record that has one owes nothing, but what changes its
 *   ways asks for both proofs.
 * - `spare`: it completes a sign-in, but a record that has nothing else is as one that has none.
 */
type Factor = 'owed' | 'own' | 'spare';

/** `undefined`: it is none. */
const FACTORS: { readonly [K in AccessWay['kind']]: Factor | undefined } = {
  mail: undefined,
  oidc: undefined,
  oauth: undefined,
  passkey: 'own',
  totp: 'owed',
  recovery: 'spare',
};

/** Whether a way completes what another has begun. */
export function isSecondFactor(kind: AccessWay['kind']): boolean {
  return FACTORS[kind] !== undefined;
}

/** Whether a way signs in alone. */
export function isWayIn(kind: AccessWay['kind']): boolean {
  return FACTORS[kind] === undefined || FACTORS[kind] === 'own';
}

/** The second factors that a record has, as far as their access methods still are what they were. */
export interface FactorsOfRecord {
  /** Access methods at which it can give a second proof, in the order of their names. */
  readonly access: readonly string[];
  /** Whether it owes one on every way in. */
  readonly isOwed: boolean;
  /** Whether what changes its ways asks for both proofs. */
  readonly isGuarded: boolean;
}

/** @param incarnation of the record, as it is now */
export async function factorsOf(
  rows: IdentityRows,
  record: RecordId,
  incarnation: string | undefined,
): Promise<FactorsOfRecord> {
  const identities = await rows.identities.ofRecord(record);
  const usable = identities.filter(
    (identity) =>
      identity.incarnation === incarnation &&
      isSecondFactor(identity.kind) &&
      // An access method that was redefined proves something else now.
      rows.way(identity.access)?.kind === identity.kind &&
      hasCodesLeft(identity),
  );
  return {
    access: [...new Set(usable.map(({ access }) => access))],
    isOwed: usable.some(({ kind }) => FACTORS[kind] === 'owed'),
    isGuarded: usable.some(({ kind }) => FACTORS[kind] !== 'spare'),
  };
}

/** The access methods at which a record that has no second factor can get one. */
export function factorsToEnrol(rows: IdentityRows): readonly string[] {
  return rows.accessNames.filter((name) => {
    const kind = rows.way(name)?.kind;
    return kind !== undefined && FACTORS[kind] === 'owed';
  });
}

/**
 * Call before an identity of a record is added, replaced or removed by its user.
 * @throws TesseraError `second_factor_required` if the record has a second factor that this session hasn't proved
 */
export async function assertSecondFactor(
  rows: IdentityRows,
  record: RecordId,
  incarnation: string | undefined,
  { acr }: Pick<Assurance, 'acr'>,
): Promise<void> {
  if (acr === 'aal2') return;
  const { isGuarded, access } = await factorsOf(rows, record, incarnation);
  if (isGuarded) throw failure('second_factor_required', { access });
}
