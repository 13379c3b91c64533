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

/** Which records an index finds. They are candidates: it may find too many, never too few, and each is judged again. */
export interface IndexMatching {
  /** Those that can meet comparisons; `undefined` where it narrows nothing. */
  match(index: IndexDefinition, comparisons: ComparisonSet, facts: AccessFacts): IndexMatch | undefined;
  /** All records, in the order that is wanted; `undefined` where it has another. */
  inOrder(index: IndexDefinition, facts: AccessFacts): IndexAccess | undefined;
}
