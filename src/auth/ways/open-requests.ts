/** How many sign-in requests may be open at once, whatever they are for. */
import { createHash } from 'node:crypto';
import { networkOf } from '../../base/source-network.js';
import { failure } from '../../errors/error.js';
import type { AuthContext } from '../context.js';
import type { WayPlace } from './way.js';

/** Of a database or of system users, and of a source of requests there. */
const MOST_OPEN = 10_000;
const MOST_OPEN_OF_SOURCE = 20;
/** Seconds until the next try: some of those that are open will have run out. */
const RETRY_AFTER = 60;

/** What is stored of where a request was begun; absent in process. */
export function sourceDigest(ip: string | undefined): string | undefined {
  return ip === undefined ? undefined : createHash('sha256').update(networkOf(ip)).digest('base64url');
}

/** @throws TesseraError `rate_limited` */
export async function assertFewOpen(
  { directory }: AuthContext,
  place: Pick<WayPlace, 'databasePath'> | 'system-users',
  source: string | undefined,
): Promise<void> {
  const of = place === 'system-users' ? place : place.databasePath;
  const { all, ofSource } = await directory.openRequests(of, MOST_OPEN, source);
  if (all >= MOST_OPEN || ofSource >= MOST_OPEN_OF_SOURCE) throw failure('rate_limited', { retryAfter: RETRY_AFTER });
}

/** For requests of which each record has one from a source. @throws TesseraError `rate_limited` */
export async function assertOpenOfDatabase(
  { directory }: AuthContext,
  databasePath: WayPlace['databasePath'],
): Promise<void> {
  const { all } = await directory.openRequests(databasePath, MOST_OPEN, undefined);
  if (all >= MOST_OPEN) throw failure('rate_limited', { retryAfter: RETRY_AFTER });
}
