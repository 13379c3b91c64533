/** The contract between an index and the planner: which records it finds. */
import type { IndexDefinition } from '../../catalog/definitions/definition.js';
import type { IndexAccess } from '../nodes.js';
import type { ComparisonSet } from './comparison-set.js';
import type { AccessFacts } from './facts.js';

/** An access by an index, and how much it narrows the table, by which accesses are compared. */
export interface IndexMatch {
  readonly access: IndexAccess;
  readonly worth: number;
}

/**
 * The records that an index finds. They are candidates: it may find too many, never too few, and each is checked again.
 */
export interface IndexMatching {
  /** The records that can meet comparisons; `undefined` if the index doesn't apply. */
  match(index: IndexDefinition, comparisons: ComparisonSet, facts: AccessFacts): IndexMatch | undefined;
  /** All records, in the requested order; `undefined` if the index has another. */
  inOrder(index: IndexDefinition, facts: AccessFacts): IndexAccess | undefined;
}
