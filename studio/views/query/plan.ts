/** A plan, as EXPLAIN FORMAT JSON gives it: see docs/reference/explain.md. */
export interface Plan {
  readonly operator: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly children?: readonly Plan[];
  /** Of EXPLAIN ANALYZE. */
  readonly metrics?: Readonly<Record<string, unknown>>;
}

export function isPlan(value: unknown): value is Plan {
  return typeof value === 'object' && value !== null && typeof (value as Plan).operator === 'string';
}

/** What was measured, in words: `3 rows, 1.2 ms`. */
export function measured({ metrics }: Plan): string {
  if (metrics === undefined) return '';
  const { output_rows: rows, elapsed_ns: nanoseconds, ...others } = metrics;
  return [
    ...(rows === undefined ? [] : [`${String(rows)} rows`]),
    ...(nanoseconds === undefined ? [] : [`${(Number(nanoseconds) / 1e6).toFixed(2)} ms`]),
    ...Object.entries(others).map(([name, value]) => `${name}: ${String(value)}`),
  ].join(', ');
}

export interface PlanFigures {
  readonly rows: number;
  readonly nanoseconds: number;
}

/** What was measured of a step, without those below it; 0 where nothing was. */
export function figuresOf({ metrics = {} }: Plan): PlanFigures {
  return { rows: Number(metrics['output_rows'] ?? 0), nanoseconds: Number(metrics['elapsed_ns'] ?? 0) };
}

/** The highest figures of all steps. */
export function highestOf(plan: Plan): PlanFigures {
  const all = [figuresOf(plan), ...(plan.children ?? []).map(highestOf)];
  return {
    rows: Math.max(...all.map(({ rows }) => rows)),
    nanoseconds: Math.max(...all.map(({ nanoseconds }) => nanoseconds)),
  };
}
