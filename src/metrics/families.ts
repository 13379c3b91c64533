/**
 * Families of metrics as Prometheus has them: a name, a help text, and a child for each combination of label values.
 * Counting is an addition to a number, since it happens in each request; text is written when metrics are read.
 *
 *     const errors = new CounterFamily('tessera_errors_total', 'Errors answered.', ['code']);
 *     errors.add('parse_error');
 */
import { LabelValues } from './label-values.js';

/** A value of a family, with its labels. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** Of histograms: the name with `_bucket`, `_sum` or `_count`. */
  readonly name?: string;
}

export interface Family {
  /** By the conventions of Prometheus: a prefix, the unit, and `_total` for counters. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'histogram' | 'gauge';
  /** Absent where samples name them. */
  readonly labels?: readonly string[];
  samples(): readonly Sample[];
}

/** Families that are written together: each is listed where it is made, in the order of the text. */
export class FamilyList {
  readonly #families: Family[] = [];

  /** Lists a family, and gives it. */
  with<F extends Family>(family: F): F {
    this.#families.push(family);
    return family;
  }

  get all(): readonly Family[] {
    return this.#families;
  }
}

const MOST = 1_000;

/** Counts that only grow, until the process ends. */
export class CounterFamily implements Family {
  readonly type = 'counter';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly #counters: LabelValues<{ value: number }>;

  /** `most`: combinations of label values that are counted apart. */
  constructor(name: string, help: string, labels: readonly string[], most = MOST) {
    this.name = name;
    this.help = help;
    this.labels = labels;
    this.#counters = new LabelValues(() => ({ value: 0 }), most);
  }

  /** Adds one. The values are those of the family's labels, in their order. */
  add(...values: readonly string[]): void {
    this.#counters.of(values).value++;
  }

  /** Adds an amount, of bytes for instance. */
  addAmount(amount: number, ...values: readonly string[]): void {
    this.#counters.of(values).value += amount;
  }

  samples(): readonly Sample[] {
    return Array.from(this.#counters.entries(), ({ values, child: { value } }) => ({
      labels: labelled(this.labels, values),
      value,
    }));
  }
}

/** Upper bounds of buckets in seconds, from a tenth of a millisecond to ten seconds. */
const BOUNDS = [
  0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const;

/** A histogram of durations. */
export class Durations {
  /** Counts by the first bound that isn't exceeded; the last count is for durations beyond all bounds. */
  readonly counts = new Float64Array(BOUNDS.length + 1);
  sum = 0;

  record(seconds: number): void {
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] as number)) bucket++;
    this.counts[bucket] = (this.counts[bucket] as number) + 1;
    this.sum += seconds;
  }
}

/** Distributions of durations in seconds. */
export class HistogramFamily implements Family {
  readonly type = 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly #histograms: LabelValues<Durations>;

  /** `most`: combinations of label values that are counted apart. */
  constructor(name: string, help: string, labels: readonly string[], most = MOST) {
    this.name = name;
    this.help = help;
    this.labels = labels;
    this.#histograms = new LabelValues(() => new Durations(), most);
  }

  /** Records a duration. The values are those of the family's labels, in their order. */
  record(seconds: number, ...values: readonly string[]): void {
    this.#histograms.of(values).record(seconds);
  }

  /** The histogram of these labels, for callers that record many durations. */
  of(...values: readonly string[]): Durations {
    return this.#histograms.of(values);
  }

  samples(): readonly Sample[] {
    return Array.from(this.#histograms.entries()).flatMap(({ values, child: { counts, sum } }) => {
      const labels = labelled(this.labels, values);
      const samples: Sample[] = [];
      let count = 0;
      for (const [bucket, within] of counts.entries()) {
        count += within;
        const le = bucket < BOUNDS.length ? String(BOUNDS[bucket]) : '+Inf';
        samples.push({ name: `${this.name}_bucket`, labels: { le, ...labels }, value: count });
      }
      samples.push({ name: `${this.name}_sum`, labels, value: sum });
      samples.push({ name: `${this.name}_count`, labels, value: count });
      return samples;
    });
  }
}

/** Values that are read when they are asked for. */
export class GaugeFamily implements Family {
  readonly type: 'gauge' | 'counter';
  readonly name: string;
  readonly help: string;
  readonly #read: () => readonly Sample[];

  /** `type`: a counter where what is read only grows. */
  constructor(
    { name, help, type = 'gauge' }: { name: string; help: string; type?: 'gauge' | 'counter' },
    read: () => number | readonly Sample[],
  ) {
    this.name = name;
    this.help = help;
    this.type = type;
    this.#read = () => {
      const value = read();
      return typeof value === 'number' ? [{ labels: {}, value }] : value;
    };
  }

  samples(): readonly Sample[] {
    return this.#read();
  }
}

function labelled(names: readonly string[], values: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name, at) => [name, values[at] as string]));
}
