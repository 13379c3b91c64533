/** Switches of execution that change speed alone: tests run with other ones, and expect equal answers. */
import { rulesWithout } from '../plan/rewrite.js';
import type { RuleName } from '../plan/rules/rule.js';

/** Settings of execution that don't affect results, which tests check by changing them. */
export interface Tuning {
  /** The rules by which plans are rewritten. */
  readonly rules: ReadonlySet<RuleName>;
  /** Records a batch: enough to make the cost of a batch small, few enough to yield often. */
  readonly batch: number;
  /** Whether literals are parameterized when a shape comes for the first time. */
  readonly plansAtOnce: boolean;
}

export const DEFAULT_TUNING: Tuning = { rules: rulesWithout([]), batch: 256, plansAtOnce: false };
