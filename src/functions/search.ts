/** Full-text search. What belongs to a condition with MATCHES is run by `records/search` where there is one. */
import { andThen, forEachInOrder, otherwise, type PromiseOrValue, untilTrue } from '../base/promise-or-value.js';
import { eachItem, mapItems } from '../base/work/loops.js';
import { failure, TesseraError } from '../errors/error.js';
import { toNumber } from '../value/number.js';
import { toText } from '../value/text/text.js';
import {
  float,
  isArray,
  isNumber,
  isObject,
  type NumberValue,
  type ObjectValue,
  objectFrom,
  type Value,
} from '../value/value.js';
import { weightWithin } from '../value/weight.js';
import { invalidArguments } from './calls/arguments.js';
import type { FunctionContext, FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { failInput, MAX_INPUT, MAX_INPUT_IN_PIECES } from './calls/input-limit.js';
import { any, optional, rest, text } from './calls/parameters.js';

// One ranking made of several lists of objects with ids. What is no list, or no object with an id, is passed over.

interface Ranked {
  readonly score: number;
  readonly fields: ObjectValue;
}

/** Maximum number of fields of a record over all lists, and of bytes of an id. */
const MAX_FIELDS = 8_192;
const MAX_ID = 2 ** 16;

/** Work units of a record, and of so many characters of its id. */
const RECORD = 16;
const CHARACTERS = 64;
/** Work units between two checkpoints. */
const PIECE = 4_096;

/** Adds up the scores of each record over the lists, and merges its fields. */
class Ranking {
  readonly #ranked = new Map<string, Ranked>();

  /** Returns how much work it was. */
  add(key: string, record: ObjectValue, score: number): number {
    const { fields, score: sum } = this.#ranked.get(key) ?? { fields: {}, score: 0 };
    const entries = [...Object.entries(fields), ...Object.entries(record)];
    if (entries.length > MAX_FIELDS) throw failInput('the fusion of a record', MAX_FIELDS);
    this.#ranked.set(key, { score: sum + score, fields: objectFrom(entries) });
    return RECORD + entries.length;
  }

  /** The best ones, with their scores in a field. */
  best(limit: number, field: string, context: FunctionContext): PromiseOrValue<Value> {
    const sorted = Array.from(this.#ranked.values()).sort((a, b) => b.score - a.score);
    return mapItems(sorted.slice(0, limit), context, ({ fields, score }) =>
      objectFrom([...Object.entries(fields), [field, float(score)]]),
    );
  }
}

/** @throws TesseraError `input_too_large` for the records of all lists together */
function checkLists(name: string, lists: Value): readonly Value[] {
  if (!isArray(lists)) return [];
  const count = lists.reduce<number>((sum, list) => sum + (isArray(list) ? list.length : 0), 0);
  if (count > MAX_INPUT) throw failInput(`${name}()`, MAX_INPUT);
  return lists;
}

/** Calls `visit` for each record of a list, with its id as text and its place. `visit` answers how much work it was. */
function forEachRecord(
  list: Value,
  context: FunctionContext,
  visit: (key: string, record: ObjectValue, index: number) => number,
): PromiseOrValue<void> {
  if (!isArray(list)) return;
  let index = 0;
  return untilTrue(() => {
    context.check();
    let work = 0;
    for (; index < list.length && work < PIECE; index++) {
      const record = list[index];
      if (!isObject(record) || record['id'] === undefined) continue;
      const { id } = record;
      if (weightWithin(id, MAX_ID) >= MAX_ID) throw failInput('the fusion of records by their ids', MAX_ID);
      const key = toText(id);
      work += visit(key, record, index) + key.length / CHARACTERS;
    }
    return andThen(context.checkpoint(work), () => index >= list.length);
  });
}

const RRF = 'search::rrf';
/** The default smoothing constant of reciprocal rank fusion (Cormack et al., 2009). */
const SMOOTHING = 60;

/** Each record counts `1 / (k + rank)` for each list that it is in. */
function fuse(lists: Value, limit: Value, constant: Value, context: FunctionContext): PromiseOrValue<Value> {
  if (lists === undefined && limit === undefined) return [];
  if (!isNumber(limit)) throw invalidArguments(RRF, 'limit must be a number');
  if (toNumber(limit) < 1) throw invalidArguments(RRF, 'limit must be at least 1');
  const k = isNumber(constant) ? toNumber(constant) : SMOOTHING;
  if (k < 0) throw invalidArguments(RRF, 'RRF constant must be at least 0');
  const ranking = new Ranking();
  const fused = forEachInOrder(checkLists(RRF, lists), (list) =>
    andThen(
      forEachRecord(list, context, (key, record, index) => ranking.add(key, record, 1 / (k + index + 1))),
      () => undefined,
    ),
  );
  return andThen(fused, () => ranking.best(toNumber(limit), 'rrf_score', context));
}

const LINEAR = 'search::linear';

/** The normalization of the scores of a list. */
const NORMS: Readonly<Record<string, (scores: readonly number[]) => (score: number) => number>> = {
  minmax(scores) {
    const least = scores.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    const greatest = scores.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
    return (score) => (greatest > least ? (score - least) / (greatest - least) : 0);
  },
  zscore(scores) {
    const mean = scores.reduce((a, b) => a + b, 0) / scores.length;
    const deviation = Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / scores.length);
    return (score) => (deviation > 0 ? (score - mean) / deviation : 0);
  },
};

/** A distance counts the more the shorter it is; without any score, the place in the list is what counts. */
function scoreOf({ distance, ft_score: textScore, score }: ObjectValue, index: number): number {
  if (isNumber(distance)) return 1 / (1 + toNumber(distance));
  if (isNumber(textScore)) return toNumber(textScore);
  return isNumber(score) ? toNumber(score) : 1 / (1 + index);
}

/** Each record counts its normed score, times the weight of the list, for each list that it is in. */
function combine(
  lists: Value,
  weights: Value,
  limit: Value,
  norm: Value,
  context: FunctionContext,
): PromiseOrValue<Value> {
  if (lists === undefined) return [];
  const { best, factors, normed } = checkCombination(lists, weights, limit, norm);
  const ranking = new Ranking();
  const combined = forEachInOrder([...checkLists(LINEAR, lists).entries()], ([index, list]) => {
    // A record that is listed twice counts once, as it was listed last.
    const scores = new Map<string, { record: ObjectValue; score: number }>();
    const listed = forEachRecord(list, context, (key, record, at) => {
      scores.set(key, { record, score: scoreOf(record, at) });
      return RECORD;
    });
    return andThen(listed, () => {
      const norming = normed(Array.from(scores.values(), ({ score }) => score));
      const added = eachItem([...scores], context, ([key, { record, score }]) => {
        ranking.add(key, record, norming(score) * (factors[index] as number));
      });
      return andThen(added, () => undefined);
    });
  });
  return andThen(combined, () => ranking.best(best, 'linear_score', context));
}

function checkCombination(lists: Value, weights: Value, limit: Value, norm: Value) {
  const wrong = (reason: string) => invalidArguments(LINEAR, reason);
  if (!isArray(weights)) throw wrong('weights must be an array');
  if (!isNumber(limit)) throw wrong('limit must be a number');
  if (typeof norm !== 'string') throw wrong('norm must be a string');
  if (toNumber(limit) < 1) throw wrong('Limit must be at least 1');
  if (isArray(lists) && lists.length !== weights.length) {
    throw wrong('The results and the weights array should have the same length');
  }
  const normed = Object.hasOwn(NORMS, norm) ? NORMS[norm] : undefined;
  if (normed === undefined) throw wrong("Norm must be 'minmax' or 'zscore'");
  const bad = weights.findIndex((weight) => !isNumber(weight));
  if (bad >= 0) throw wrong(`Weight at index ${bad} must be a number`);
  return { best: toNumber(limit), factors: (weights as readonly NumberValue[]).map(toNumber), normed };
}

const fusionFunctions: readonly FunctionRow[] = [
  define(
    LINEAR,
    [optional(any('lists')), optional(any('weights')), optional(any('limit')), optional(any('norm'))],
    'array<object>',
    'One ranking made of several lists of objects with ids: a weighted sum of scores, made comparable by a norm, `minmax` or `zscore`. At most 32768 records.',
    combine,
  ),
  define(
    RRF,
    [optional(any('lists')), optional(any('limit')), optional(any('constant'))],
    'array<object>',
    'One ranking made of several lists of objects with ids (reciprocal rank fusion). At most 32768 records.',
    fuse,
  ),
];

const NO_REFERENCE = 'index_ref argument must be a literal integer in range 0..255';

function isReference(value: Value): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255;
}

/** A function on the match found by a condition, which the planner gives to it (`plan/match-calls.ts`). */
function ofMatch(
  name: string,
  least: number,
  returns: string,
  description: string,
  resultOf: (args: readonly Value[], context: FunctionContext) => Value = () => undefined,
): FunctionRow {
  const path = `search::${name}`;
  return define(
    path,
    [rest(any('arguments'))],
    returns,
    description,
    (args, context) => {
      if (args.length < least) throw failure('too_few_arguments', { name: path, least });
      const value = resultOf(args, context);
      if (value !== undefined) return value;
      if (!isReference(args[least - 1])) throw failure('misplaced_function', { name: path, reason: NO_REFERENCE });
      throw failure('misplaced_function', { name: path, reason: 'no MATCHES clause found in WHERE condition' });
    },
    { deterministic: false },
  );
}

export const searchFunctions: readonly FunctionRow[] = [
  ...fusionFunctions,
  define(
    'search::analyze',
    [text('analyzer'), text('value')],
    'array<string>',
    'The terms that an analyzer makes of a text.',
    (name, value, context) =>
      otherwise<Value>(
        () => context.analyze(name, value),
        (error) => {
          const isMissing = error instanceof TesseraError && error.code === 'analyzer_missing';
          throw isMissing ? failure('analyzer_not_found', { name }) : error;
        },
      ),
    {
      largest: MAX_INPUT_IN_PIECES,
      deterministic: false,
      expects: {
        count: 'two arguments: analyzer name and value',
        each: ['a string analyzer name', 'a string value'],
      },
    },
  ),
  ofMatch('highlight', 3, 'string', 'A text with the terms that were found marked.'),
  ofMatch('offsets', 1, 'object', 'Where in a text the terms were found.'),
  ofMatch('score', 1, 'float', 'How well a record matches.', ([reference], { indexNote }) => {
    const score = typeof reference === 'number' ? indexNote?.scores?.get(reference) : undefined;
    return score === undefined ? undefined : float(score);
  }),
];
