import { rulesWithout } from '../../plan/rewrite.js';
import type { RuleName } from '../../plan/rules/rule.js';

/** How queries are run; no answer depends on it, which tests prove by changing it. */
export interface Tuning {
  /** By which rules plans are rewritten. */
  readonly rules: ReadonlySet<RuleName>;
  /** Records a batch: enough to make the cost of a batch small, few enough to yield often. */
  readonly batch: number;
  /** Whether literals are taken out of a statement when one of its shape comes for the first time. */
  readonly plansAtOnce: boolean;
}

export const DEFAULT_TUNING: Tuning = { rules: rulesWithout([]), batch: 256, plansAtOnce: false };
