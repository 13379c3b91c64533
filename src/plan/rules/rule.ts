/**
 * Rules rewrite plans into others with the same rows at lower cost. Each has a switch (`Tuning.rules`), and no
 * answer depends on one.
 */
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import type { Select } from '../../language/ast.js';
import type { AccessFacts } from '../access/facts.js';
import type { Access, RowNode } from '../nodes.js';

export const RULE_NAMES = [
  'permission-access',
  'point-lookup',
  'list-lookup',
  'index-scan',
  'range-scan',
  'union-scan',
  'ordered-scan',
  'top-n',
  'offset-pushdown',
  'count-without-reading',
  'batch-filter',
  'direct-lookup',
  'packed-vectors',
  'uncorrelated-subquery',
] as const;

export type RuleName = (typeof RULE_NAMES)[number];

/** Finds the records of a table in another way. Each is asked after those before it. */
export interface AccessRule {
  readonly name: RuleName;
  /** The access to have instead; `undefined` where the rule doesn't apply. */
  rewrite(access: Access, facts: AccessFacts): Access | undefined;
}

/** Rewrites nodes of one kind, whose inputs have been rewritten. */
export interface NodeRule<Kind extends RowNode['kind']> {
  readonly name: RuleName;
  readonly kind: Kind;
  rewrite(node: Extract<RowNode, { readonly kind: Kind }>, facts: StatementFacts): RowNode | undefined;
}

/** Rewrites the tree of a SELECT that changes nothing, after all others. */
export interface StatementRule {
  readonly name: RuleName;
  rewrite(node: RowNode, select: Select): RowNode | undefined;
}

/** The facts about the statement and its principal for rules. */
export interface StatementFacts {
  /** Whether PERMISSIONS hide something of the records. */
  readonly isChecked: boolean;
  /** Whether records are read as of an earlier time. */
  readonly isVersioned: boolean;
  /** The definitions, where the plan depends on them. */
  readonly catalog?: DatabaseCatalog | undefined;
}
