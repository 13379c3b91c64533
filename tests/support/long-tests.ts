import { DRAW } from './runs-all.js';

/**
 * Half of the long tests, which `npm test` leaves for other commits. Neighbours of the list go to different halves, so
 * that both take as long.
 */
export function leftOut(): string[] {
  const half = Number.parseInt(DRAW.at(-1) ?? '0', 16) % 2;
  return LONG_TESTS.filter((_, at) => at % 2 === half).map((name) => `tests/${name}.test.ts`);
}

/** Take more than four seconds each, the longest first; most of them are of whole servers. */
export const LONG_TESTS = [
  'security/small-pieces',
  'security/scripts',
  'storage/backup',
  'security/identity/mail-kills',
  'end-to-end/workers',
  'cli/start',
  'security/denial-of-service',
  'bench/workloads',
  'protocol/client-2/identity',
  'nodes/kills',
  'end-to-end/sign-in-page',
  'end-to-end/backup',
  'properties/identities.property',
  'end-to-end/recipes/code-by-mail',
  'storage/backup-kills',
  'security/identity/way-redemption',
  'end-to-end/music-shop-graphql',
  'end-to-end/identities',
  'vectors/graph',
  'end-to-end/browser',
  'storage/postgres-failures',
  'search/full-text-index',
  'storage/shared-archive',
  'end-to-end/recipes/stay-signed-in',
  'studio/query',
  'end-to-end/private-files',
  'end-to-end/recipes/company-account',
  'search/bad-input',
  'storage/full-disk',
  'storage/power-failures',
  'storage/call-kills',
  'end-to-end/music-shop-lists',
  'end-to-end/search-crash',
  'storage/postgres-large',
  'security/shared-structure',
  'cli/system-error',
  'end-to-end/retrieval',
  'end-to-end/recipes/passkeys',
  'end-to-end/recipes/sign-up',
  'studio/safety',
  'nodes/full-text',
  'studio/explore',
  'storage/sharded-histories',
  'security/identity/mail-codes',
  'end-to-end/index-builds',
  'studio/walks',
  'end-to-end/recipes/several-apps',
  'properties/plans.property',
  'security/identity/limits',
  'end-to-end/music-shop-search',
  'studio/sign-in',
  'end-to-end/audit',
  'studio/server',
  'storage/s3-blobs',
  'end-to-end/recipes/second-factor',
  'studio/appearance',
  'end-to-end/recipes/google',
  'cli/terminal',
  'cli/types',
  'vectors/filtered-recall',
];
