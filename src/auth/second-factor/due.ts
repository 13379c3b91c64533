/**
 * The second proof that a record owes: the first one is kept as a sign-in request, which one of the record's second
 * factors completes. Until then there is no session and no token.
 */
import { drawRequestName } from '../../catalog/credentials/sign-in-request.js';
import { keyMark } from '../../catalog/credentials/signing-key.js';
import { failure } from '../../errors/error.js';
import { toText } from '../../value/text/text.js';
import { toDatetime } from '../../value/time/datetime.js';
import { newObject } from '../../value/value.js';
import type { Assurance } from '../assurance.js';
import type { AuthContext } from '../context.js';
import type { IdentifiedRecord } from '../directory.js';
import type { Client } from '../identity.js';
import type { DrawnToken } from '../tokens/tokens.js';
import { assertOpenOfDatabase, sourceDigest } from '../ways/open-requests.js';
import type { WayAccess, WayPlace } from '../ways/way.js';
import { LIFETIME } from './begin.js';
import { factorsOf, factorsToEnrol } from './factors.js';

/** A sign-in whose first proof was right. */
export interface FirstSignIn {
  readonly databasePath: WayPlace['databasePath'];
  readonly access: WayAccess;
  readonly client: Client;
  readonly identified: IdentifiedRecord;
  readonly assurance: Assurance;
  /** The id of the identity that was signed in by. */
  readonly identity: string | undefined;
  readonly token: DrawnToken;
}

/**
 * Keeps a first proof, and says what is due; returns if nothing is.
 * @throws TesseraError `second_factor_required`, with the request and the access methods that complete it;
 * `rate_limited`
 */
export async function demandSecondFactor(context: AuthContext, signIn: FirstSignIn): Promise<void> {
  const { databasePath, access, identified, assurance } = signIn;
  const { secondFactor } = access.accessKind;
  const { id, incarnation } = identified;
  // A record that doesn't exist is refused by what follows.
  if (secondFactor === 'none' || assurance.acr === 'aal2' || incarnation === undefined) return;
  const due = await context.directory.proving(databasePath, async (rows) => {
    const factors = await factorsOf(rows, id, incarnation.id);
    if (!factors.isOwed && secondFactor !== 'always') return undefined;
    return factors.access.length > 0
      ? { access: factors.access }
      : { access: factors.access, enrol: factorsToEnrol(rows) };
  });
  if (due === undefined) return;
  const request = await keepFirst(context, signIn, due.enrol !== undefined);
  throw failure('second_factor_required', { request, ...due });
}

/** A new request ends the former one of the same record from the same source. */
async function keepFirst(
  context: AuthContext,
  { databasePath, access, client, identified, assurance, identity, token }: FirstSignIn,
  mayEnrol: boolean,
): Promise<string> {
  const { environment, directory } = context;
  await assertOpenOfDatabase(context, databasePath);
  const source = sourceDigest(client.origin.ip);
  const name = drawRequestName(environment.random);
  const request = {
    access: access.name,
    purpose: 'second' as const,
    variables: newObject(),
    record: identified.id,
    incarnation: identified.incarnation?.id,
    idp: assurance.idp,
    first: { amr: assurance.amr, token: token.id, identity, key: keyMark(access.accessKind), mayEnrol },
    source,
    created: toDatetime(token.at),
    expires: toDatetime(environment.clock.now() + LIFETIME),
    tries: 0,
  };
  await directory.proving(databasePath, async (rows) => {
    const pointer = JSON.stringify(['second', toText(identified.id), source ?? '']);
    await rows.requests.removePointedTo(pointer);
    await rows.requests.put(name, request, [pointer]);
  });
  return name;
}
