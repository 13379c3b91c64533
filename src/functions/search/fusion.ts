/** One ranking made of several lists of objects with ids. What is no list, or no object with an id, is passed over. */
import { toNumber } from '../../value/number.js';
import { toText } from '../../value/text/text.js';
import {
  float,
  isArray,
  isNumber,
  isObject,
  type NumberValue,
  type ObjectValue,
  objectFrom,
  type Value,
} from '../../value/value.js';
import { invalidArguments } from '../arguments.js';
import type { FunctionContext, FunctionRow } from '../contract.js';
import { define } from '../define.js';
import { any, optional } from '../parameters.js';

interface Ranked {
  readonly score: number;
  readonly fields: ObjectValue;
}

/** Adds up the scores of each record over the lists, and puts together what they say of it. */
class Ranking {
  readonly #ranked = new Map<string, Ranked>();

  add(record: ObjectValue, score: number): void {
    const key = toText(record['id']);
    const { fields, score: sum } = this.#ranked.get(key) ?? { fields: {}, score: 0 };
    this.#ranked.set(key, {
      score: sum + score,
      fields: objectFrom([...Object.entries(fields), ...Object.entries(record)]),
    });
  }

  /** The best ones, with their scores in a field. */
  best(limit: number, field: string): Value {
    return Array.from(this.#ranked.values())
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ fields, score }) => objectFrom([...Object.entries(fields), [field, float(score)]]));
  }
}

/** Calls `visit` for each record of a list, with its place. */
function forEachRecord(
  list: Value,
  context: FunctionContext,
  visit: (record: ObjectValue, index: number) => void,
): void {
  if (!isArray(list)) return;
  list.forEach((record, index) => {
    context.checkpoint();
    if (isObject(record) && record['id'] !== undefined) visit(record, index);
  });
}

const RRF = 'search::rrf';
/** The default smoothing constant of reciprocal rank fusion (Cormack et al., 2009). */
const SMOOTHING = 60;

/** Each record counts `1 / (k + rank)` for each list that it is in. */
function fuse(lists: Value, limit: Value, constant: Value, context: FunctionContext): Value {
  if (lists === undefined && limit === undefined) return [];
  if (!isNumber(limit)) throw invalidArguments(RRF, 'limit must be a number');
  if (toNumber(limit) < 1) throw invalidArguments(RRF, 'limit must be at least 1');
  const k = isNumber(constant) ? toNumber(constant) : SMOOTHING;
  if (k < 0) throw invalidArguments(RRF, 'RRF constant must be at least 0');
  const ranking = new Ranking();
  for (const list of isArray(lists) ? lists : []) {
    forEachRecord(list, context, (record, index) => ranking.add(record, 1 / (k + index + 1)));
  }
  return ranking.best(toNumber(limit), 'rrf_score');
}

const LINEAR = 'search::linear';

/** How the scores of a list are made comparable to those of others. */
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
function combine(lists: Value, weights: Value, limit: Value, norm: Value, context: FunctionContext): Value {
  if (lists === undefined) return [];
  const { best, factors, normed } = checkCombination(lists, weights, limit, norm);
  const ranking = new Ranking();
  for (const [index, list] of (isArray(lists) ? lists : []).entries()) {
    // A record that is listed twice counts once, as it was listed last.
    const scores = new Map<string, { record: ObjectValue; score: number }>();
    forEachRecord(list, context, (record, at) =>
      scores.set(toText(record['id']), { record, score: scoreOf(record, at) }),
    );
    const norming = normed(Array.from(scores.values(), ({ score }) => score));
    for (const { record, score } of scores.values()) ranking.add(record, norming(score) * (factors[index] as number));
  }
  return ranking.best(best, 'linear_score');
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

export const fusionFunctions: readonly FunctionRow[] = [
  define(
    LINEAR,
    [optional(any('lists')), optional(any('weights')), optional(any('limit')), optional(any('norm'))],
    'array<object>',
    'One ranking made of several lists of objects with ids: a weighted sum of scores, made comparable by a norm, `minmax` or `zscore`.',
    combine,
  ),
  define(
    RRF,
    [optional(any('lists')), optional(any('limit')), optional(any('constant'))],
    'array<object>',
    'One ranking made of several lists of objects with ids (reciprocal rank fusion).',
    fuse,
  ),
];
