/** What resolvers know of the request that they work for. */
import type { GraphQLResolveInfo } from 'graphql';
import type { Budget } from './budget.js';
import type { EdgePlan, Loader } from './loader.js';
import type { Conditions } from './select.js';
import type { Selections } from './selection.js';

export interface Call {
  readonly loader: Loader;
  readonly budget: Budget;
  readonly selections: Selections;
  readonly conditions: Conditions;
  /** By the nodes of the field, which are the same for each row. */
  readonly edgePlans: WeakMap<GraphQLResolveInfo['fieldNodes'], EdgePlan>;
  /** How long the statement of each root field took, in nanoseconds, by the name in the answer. */
  readonly times: Map<string | number, bigint>;
}
