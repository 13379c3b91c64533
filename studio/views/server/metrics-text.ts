/** Reads the text format of Prometheus, as GET /metrics answers it: enough of it for the server's own metrics. */

/** The value of one metric with one set of labels. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;
const INFINITIES: Readonly<Record<string, number>> = { '+Inf': Infinity, '-Inf': -Infinity };

/** Lines that aren't samples are left out. */
export function parseMetrics(text: string): readonly Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value = ''] = LINE.exec(line) ?? [];
    if (name === undefined) return [];
    return [{ name, labels: readLabels(labels), value: INFINITIES[value] ?? Number(value) }];
  });
}

function readLabels(text: string): Readonly<Record<string, string>> {
  const pairs = [...text.matchAll(LABEL)].map(([, name = '', value = '']) => [name, unescaped(value)]);
  return Object.fromEntries(pairs) as Record<string, string>;
}

function unescaped(value: string): string {
  return value.replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign));
}

/** The sum over all labels that `labels` allows; `undefined` where there is no such sample. */
export function total(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const found = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}
