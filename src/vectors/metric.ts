/** How far apart two vectors are: the measures that queries and indexes name. */

export const METRIC_NAMES = [
  'CHEBYSHEV',
  'COSINE',
  'EUCLIDEAN',
  'HAMMING',
  'JACCARD',
  'MANHATTAN',
  'MINKOWSKI',
  'PEARSON',
] as const;

export type MetricName = (typeof METRIC_NAMES)[number];

export interface Metric {
  readonly name: MetricName;
  /** Of MINKOWSKI: p. */
  readonly order: number;
}

/** Reads the text of a metric as the parser leaves it: a name in capitals, `MINKOWSKI` with its order. */
export function parseMetric(text: string): Metric {
  const [name, order = '0'] = text.split(' ');
  return { name: name as MetricName, order: Number(order) };
}

/** `Euclidean`, `Minkowski 3`: as EXPLAIN prints it. */
export function metricText({ name, order }: Metric): string {
  const capitalized = name.charAt(0) + name.slice(1).toLowerCase();
  return name === 'MINKOWSKI' ? `${capitalized} ${order}` : capitalized;
}
