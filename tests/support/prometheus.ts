/** Reads the text format of Prometheus, version 0.0.4, strictly: a line that isn't in it is an error. */

const COMMENT = /^# (?:HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) .+$/;
// The library writes `Nan`; Prometheus reads numbers in any case.
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? ([-+]?(?:\d[\d.e+-]*|Inf)|Na[Nn])$/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/;

interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export class ParsedMetrics {
  /** Of all families, in their order. */
  readonly names: readonly string[];
  readonly samples: readonly ParsedSample[];

  constructor(text: string) {
    if (!text.endsWith('\n')) throw new Error('the last line has no end');
    const names = new Set<string>();
    const samples: ParsedSample[] = [];
    for (const line of text.slice(0, -1).split('\n')) {
      if (line === '') continue;
      const comment = COMMENT.exec(line);
      if (comment !== null) names.add(comment[1] as string);
      else samples.push(readSample(line));
    }
    for (const { name } of samples) {
      const family = name.replace(/_(?:bucket|sum|count)$/, '');
      if (!names.has(name) && !names.has(family)) throw new Error(`${name} has no type`);
    }
    this.names = [...names];
    this.samples = samples;
  }

  /** The sum of all samples of this name with these labels; 0 where there is none. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    const isMeant = (sample: ParsedSample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value);
    return this.samples.filter(isMeant).reduce((sum, { value }) => sum + value, 0);
  }
}

function readSample(line: string): ParsedSample {
  const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
  if (name === undefined) throw new Error(`not in the format: ${line}`);
  return {
    name,
    labels: readLabels(labels),
    value: Number((value as string).replace('Inf', 'Infinity').replace('Nan', 'NaN')),
  };
}

function readLabels(text: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  let rest = text;
  while (rest !== '') {
    const [label, name, value] = LABEL.exec(rest) ?? [];
    if (label === undefined) throw new Error(`not in the format: {${text}}`);
    labels[name as string] = (value as string).replace(/\\(.)/g, (_, escaped) => (escaped === 'n' ? '\n' : escaped));
    rest = rest.slice(label.length);
  }
  return labels;
}
