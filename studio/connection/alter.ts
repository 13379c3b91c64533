/** ALTER with the clauses that differ, so that all others stay as they are, also those that no form has. */
import { joined } from './statements.js';
import { textLiteral } from './surrealql.js';

/** `undefined` where nothing differs. */
export function altered(head: string, clauses: readonly (string | false)[]): string | undefined {
  return clauses.every((clause) => clause === false) ? undefined : joined(head, ...clauses);
}

/** A clause by its code, where it differs; empty code drops it. */
export function changedClause(word: string, before: string, after: string): string | false {
  if (before.trim() === after.trim()) return false;
  return after.trim() === '' ? `DROP ${word}` : `${word} ${after.trim()}`;
}

/** A word that is there or not, where it differs. */
export function changedFlag(word: string, before: boolean, after: boolean): string | false {
  return before !== after && (after ? word : `DROP ${word}`);
}

export function changedComment(before: string, after: string): string | false {
  const code = (comment: string) => (comment === '' ? '' : textLiteral(comment));
  return changedClause('COMMENT', code(before), code(after));
}
