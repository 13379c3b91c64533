/** Values to show of each type of a field, apart from how a language writes them. */
import { alternativesOf, choicesOf } from '../../connection/kinds.js';

/** Kinds that are written as a text, or in one. */
type Written = 'text' | 'choice' | 'number' | 'datetime' | 'decimal' | 'duration' | 'uuid';

export type Sample =
  | { readonly [K in Written]: { readonly kind: K; readonly text: string } }[Written]
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'record'; readonly table: string; readonly key: Sample }
  | { readonly kind: 'list'; readonly items: readonly Sample[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [name: string, value: Sample])[] }
  | { readonly kind: 'bytes' }
  | { readonly kind: 'point' };

/** How a language writes each kind. */
export type SamplePrinter = {
  readonly [K in Sample['kind']]: (sample: Extract<Sample, { readonly kind: K }>) => string;
};

export function printed(printer: SamplePrinter, sample: Sample): string {
  return (printer[sample.kind] as (given: Sample) => string)(sample);
}

/** The bytes and the place that are shown. */
export const BYTES = [1, 2, 3] as const;
export const POINT = [12.5, 41.9] as const;

/** The key of the records that are shown. */
export const EXAMPLE: Sample = { kind: 'text', text: 'example' };

const PLAIN_TEXT = 'Some text';

const SAMPLES: Readonly<Record<string, Sample>> = {
  string: { kind: 'text', text: PLAIN_TEXT },
  any: { kind: 'text', text: PLAIN_TEXT },
  int: { kind: 'number', text: '1' },
  number: { kind: 'number', text: '1' },
  float: { kind: 'number', text: '1.5' },
  decimal: { kind: 'decimal', text: '9.50' },
  bool: { kind: 'bool', value: true },
  datetime: { kind: 'datetime', text: '2030-01-31T12:00:00Z' },
  duration: { kind: 'duration', text: '1h30m' },
  uuid: { kind: 'uuid', text: '018f8a12-0000-7000-8000-000000000000' },
  bytes: { kind: 'bytes' },
  object: { kind: 'object', members: [] },
  geometry: { kind: 'point' },
  point: { kind: 'point' },
};

/** Texts that rules often ask for, by the names of fields. */
const TEXTS: readonly (readonly [name: RegExp, text: string])[] = [
  [/mail/i, 'ann@example.com'],
  [/pass/i, 'correct horse battery'],
  [/url|link|website/i, 'https://example.com'],
];

/** A text for a field or a variable of this name. */
export function textFor(name: string, otherwise = PLAIN_TEXT): string {
  return TEXTS.find(([pattern]) => pattern.test(name))?.[1] ?? otherwise;
}

/** A value of a type; `keyOf` says what the keys of a table's records are like. `undefined` for types without a value to show. */
export function sampleOf(kind: string, name: string, keyOf: (table: string) => Sample): Sample | undefined {
  const [choice] = choicesOf(kind);
  if (choice !== undefined) return choiceOf(choice);
  const [first = 'any'] = alternativesOf(kind);
  const [, outer = first, inner] = /^(\w+)<(.*)>$/s.exec(first) ?? [];
  if (outer === 'record') {
    const [table = 'person'] = alternativesOf(inner ?? '').map(plainName);
    return { kind: 'record', table, key: keyOf(table) };
  }
  if (outer === 'array' || outer === 'set') {
    const item = sampleOf(inner?.replace(/,\s*\d+$/, '') ?? 'any', name, keyOf);
    return item && { kind: 'list', items: [item] };
  }
  // Other shapes than points are written in too many ways to be worth an example.
  if (outer === 'geometry' && inner !== undefined && !alternativesOf(inner).includes('point')) return undefined;
  const sample = SAMPLES[outer];
  return sample?.kind === 'text' ? { ...sample, text: textFor(name, sample.text) } : sample;
}

/** Another value of the same type, where that is plain to see. */
export function otherSample(sample: Sample | undefined): Sample | undefined {
  if (sample?.kind === 'text') return { kind: 'text', text: sample.text === PLAIN_TEXT ? 'Another text' : sample.text };
  if (sample?.kind === 'number') return { kind: 'number', text: String(Number(sample.text) + 1) };
  if (sample?.kind === 'bool') return { kind: 'bool', value: !sample.value };
  return undefined;
}

function choiceOf(code: string): Sample {
  if (/^(true|false)$/.test(code)) return { kind: 'bool', value: code === 'true' };
  if (/^-?\d/.test(code)) return { kind: 'number', text: code.replace(/[a-z]+$/, '') };
  return { kind: 'choice', text: code.slice(1, -1).replaceAll(/\\(.)/g, '$1') };
}

/** The name that stands in code. */
export function plainName(code: string): string {
  return code.replace(/^[`⟨]|[`⟩]$/g, '').replaceAll(/\\(.)/g, '$1');
}
