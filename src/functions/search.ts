/** Full-text search. Conditions with MATCHES aren't available, and neither is what belongs to one. */
import { andThen } from '../base/promise-or-value.js';
import { failure } from '../errors/error.js';
import { toNumber } from '../value/number.js';
import { toText } from '../value/text/text.js';
import { float, isArray, isNumber, isObject, type ObjectValue, objectFrom, type Value } from '../value/value.js';
import { invalidArguments } from './arguments.js';
import type { FunctionRow } from './contract.js';
import { define } from './define.js';
import { any, optional, rest, text } from './parameters.js';

/** A function that tells something about the match that a condition found. */
function ofMatch(name: string, least: number, returns: string, description: string): FunctionRow {
  const path = `search::${name}`;
  return define(
    path,
    [rest(any('arguments'))],
    returns,
    description,
    (args) => {
      if (args.length < least) throw failure('too_few_arguments', { name: path, least });
      throw failure('misplaced_function', { name: path, reason: 'no MATCHES clause found in WHERE condition' });
    },
    { deterministic: false },
  );
}

const RRF = 'search::rrf';
/** How much the first ranks count above the others, unless told; from the paper that describes the method (Cormack et al., 2009). */
const SMOOTHING = 60;

interface Ranked {
  score: number;
  fields: ObjectValue;
}

/** Each record counts `1 / (k + rank)` for each list that it is in. What is no list, or no object with an id, is passed over. */
function fuse(lists: Value, limit: Value, constant: Value): Value {
  if (lists === undefined && limit === undefined) return [];
  if (!isNumber(limit)) throw invalidArguments(RRF, 'limit must be a number');
  if (toNumber(limit) < 1) throw invalidArguments(RRF, 'limit must be at least 1');
  const k = isNumber(constant) ? toNumber(constant) : SMOOTHING;
  if (k < 0) throw invalidArguments(RRF, 'RRF constant must be at least 0');
  const ranked = new Map<string, Ranked>();
  for (const records of isArray(lists) ? lists : []) {
    if (isArray(records)) rank(records, k, ranked);
  }
  return Array.from(ranked.values())
    .sort((a, b) => b.score - a.score)
    .slice(0, toNumber(limit))
    .map(({ fields, score }) => objectFrom([...Object.entries(fields), ['rrf_score', float(score)]]));
}

function rank(records: readonly Value[], k: number, ranked: Map<string, Ranked>): void {
  for (const [index, record] of records.entries()) {
    if (!isObject(record) || record['id'] === undefined) continue;
    const score = 1 / (k + index + 1);
    const key = toText(record['id']);
    const known = ranked.get(key);
    if (known === undefined) ranked.set(key, { score, fields: record });
    else {
      known.score += score;
      known.fields = objectFrom([...Object.entries(known.fields), ...Object.entries(record)]);
    }
  }
}

export const searchFunctions: readonly FunctionRow[] = [
  define(
    'search::analyze',
    [text('analyzer'), text('value')],
    'array<string>',
    'The terms that an analyzer makes of a text; not available yet.',
    (name, _, context) =>
      andThen(context.hasAnalyzer(name), (has) => {
        throw has ? failure('not_supported', { what: 'search::analyze()' }) : failure('analyzer_not_found', { name });
      }),
    {
      deterministic: false,
      expects: {
        count: 'two arguments: analyzer name and value',
        each: ['a string analyzer name', 'a string value'],
      },
    },
  ),
  ofMatch('highlight', 3, 'string', 'A text with the terms that were found marked.'),
  define('search::linear', [rest(any('arguments'))], 'array<object>', 'Not available yet.', () => {
    throw failure('not_supported', { what: 'search::linear()' });
  }),
  ofMatch('offsets', 1, 'object', 'Where in a text the terms were found.'),
  define(
    'search::rrf',
    [optional(any('lists')), optional(any('limit')), optional(any('constant'))],
    'array<object>',
    'One ranking made of several lists of objects with ids (reciprocal rank fusion).',
    fuse,
  ),
  ofMatch('score', 1, 'float', 'How well a record matches.'),
];
