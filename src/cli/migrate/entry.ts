/** The entry of a migration in the journal, as statements. Without a client, since the Studio writes one, too. */
import { quoteString } from '../../value/text/quote.js';

/** The table of the migrations that a database has had. */
export const JOURNAL = 'tessera_migration';

/** Define the table, unless it is there. */
export const JOURNAL_DEFINITIONS: readonly string[] = [
  `DEFINE TABLE IF NOT EXISTS ${JOURNAL} TYPE NORMAL SCHEMAFULL COMMENT 'Made by tessera migrate' PERMISSIONS NONE`,
  `DEFINE FIELD IF NOT EXISTS name ON ${JOURNAL} TYPE string READONLY`,
  `DEFINE FIELD IF NOT EXISTS checksum ON ${JOURNAL} TYPE string READONLY`,
  `DEFINE FIELD IF NOT EXISTS applied ON ${JOURNAL} TYPE datetime DEFAULT time::now() READONLY`,
];

/**
 * Notes a migration as applied, at a position that counts from 1. It fails where there is an entry.
 * @param checksum SHA-256 of the text, in hexadecimal digits, as an expression
 */
export function entryStatement(position: number, name: string, checksum: string): string {
  return `CREATE ${JOURNAL}:${position} SET name = ${quoteString(name)}, checksum = ${checksum}`;
}
