/** The words that begin a clause of a statement: one that is too long for a line begins a line with each. */
import type { Statement } from '../ast.js';
import { readersOf } from '../definitions/clause.js';
import { DEFINITION_KINDS, kindOf } from '../definitions/kinds.js';

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const OF_DEFINITIONS: ReadonlySet<string> = new Set(
  DEFINITION_KINDS.flatMap((kind) => [...readersOf(kindOf(kind).clauses).keys()])
    .filter((word) => /^[A-Z]/.test(word))
    .concat('ALGORITHM', 'WITH', 'SIGNUP', 'SIGNIN', 'DROP'),
);
const OF_CHANGES = words('SET UNSET CONTENT MERGE REPLACE PATCH WITH WHERE RETURN VERSION TIMEOUT PARALLEL EXPLAIN');
const OF_SELECT = words(
  'OMIT FROM WITH WHERE SPLIT GROUP ORDER LIMIT START FETCH VERSION TIMEOUT PARALLEL TEMPFILES EXPLAIN',
);

const CLAUSES: { readonly [K in Statement['kind']]?: ReadonlySet<string> } = {
  select: OF_SELECT,
  live: words('FROM WHERE FETCH SINCE'),
  'live-result': words('EVERY SINCE'),
  create: OF_CHANGES,
  update: OF_CHANGES,
  upsert: OF_CHANGES,
  delete: OF_CHANGES,
  relate: OF_CHANGES,
  insert: words('VALUES ON RETURN VERSION TIMEOUT'),
  'explain-permissions': words('AS'),
  'explain-record-permissions': words('AS ACCESS'),
  alter: OF_DEFINITIONS,
  'alter-level': OF_DEFINITIONS,
  ...Object.fromEntries(DEFINITION_KINDS.map((kind) => [kind, OF_DEFINITIONS])),
};

/** The words that begin a clause of a kind of statement. */
export function clauseWords(kind: Statement['kind']): ReadonlySet<string> {
  return CLAUSES[kind] ?? NONE;
}

const NONE: ReadonlySet<string> = new Set();
