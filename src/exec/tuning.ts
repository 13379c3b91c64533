/** How queries are run; no answer depends on it, which tests prove by changing it. */
export interface Tuning {
  /** Whether records are looked for by id and through indexes rather than by walking the table. */
  readonly indexes: boolean;
  /** Records a batch: enough to make the cost of a batch small, few enough to give way often. */
  readonly batch: number;
}

export const DEFAULT_TUNING: Tuning = { indexes: true, batch: 256 };
