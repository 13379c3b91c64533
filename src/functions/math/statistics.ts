/**
 * Statistics of lists of numbers. Sums stay ints or decimals where the numbers are; what has to be divided is a float
 * or a decimal.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { eachItem, foldItems, mapItems } from '../../base/work/loops.js';
import { sortItems } from '../../base/work/sort.js';
import type { Work } from '../../base/work/work.js';
import { add, divide, multiply, subtract } from '../../value/arithmetic.js';
import { exact, fitDecimal } from '../../value/decimal.js';
import { compareNumbers, toNumber } from '../../value/number.js';
import { Decimal, float, type NumberValue } from '../../value/value.js';

type Numbers = readonly NumberValue[];

export function sum(numbers: Numbers, work: Work): PromiseOrValue<NumberValue> {
  return foldItems<NumberValue, NumberValue>(numbers, 0, work, (total, number) => add(total, number) as NumberValue);
}

export function product(numbers: Numbers, work: Work): PromiseOrValue<NumberValue> {
  return foldItems<NumberValue, NumberValue>(
    numbers,
    1,
    work,
    (total, number) => multiply(total, number) as NumberValue,
  );
}

/** Whether the result is of the same kind as the numbers: a decimal if one of them is, a float otherwise. */
function isExact(numbers: Numbers): boolean {
  return numbers.some((number) => number instanceof Decimal);
}

function floatSum(
  numbers: Numbers,
  work: Work,
  summand: (number: number) => number = (number) => number,
): PromiseOrValue<number> {
  return foldItems(numbers, 0, work, (total, number) => total + summand(toNumber(number)));
}

/** The average; NaN of nothing. */
export function mean(numbers: Numbers, work: Work): PromiseOrValue<NumberValue> {
  return isExact(numbers)
    ? andThen(sum(numbers, work), (total) => divide(total, numbers.length) as NumberValue)
    : andThen(floatSum(numbers, work), (total) => float(total / numbers.length));
}

/** The variance of a sample (divided by n − 1); 0 of one number, NaN of nothing. */
export function variance(numbers: Numbers, work: Work): PromiseOrValue<NumberValue> {
  if (numbers.length === 1) return float(0);
  if (isExact(numbers)) {
    const squares = andThen(mean(numbers, work), (middle) =>
      mapItems(numbers, work, (number) => {
        const deviation = subtract(number, middle);
        return multiply(deviation, deviation) as NumberValue;
      }),
    );
    const total = andThen(squares, (all) => sum(all, work));
    return andThen(total, (all) => divide(all, numbers.length - 1) as NumberValue);
  }
  if (numbers.length === 0) return Number.NaN;
  const squares = andThen(floatSum(numbers, work), (total) => {
    const middle = total / numbers.length;
    return floatSum(numbers, work, (number) => (number - middle) ** 2);
  });
  return andThen(squares, (total) => float(total / (numbers.length - 1)));
}

/** The standard deviation of a sample. */
export function deviation(numbers: Numbers, work: Work): PromiseOrValue<NumberValue> {
  return andThen(variance(numbers, work), squareRoot);
}

/** A decimal's root is a decimal; that of a negative number is NaN. */
export function squareRoot(number: NumberValue): NumberValue {
  if (!(number instanceof Decimal)) return float(Math.sqrt(toNumber(number)));
  return number.number.isNegative() ? Number.NaN : (fitDecimal(exact(number.number).sqrt()) ?? Number.NaN);
}

/** The least number; of equal ones the first. ∞ of nothing. */
export function least(numbers: Numbers, work: Work): PromiseOrValue<NumberValue> {
  return foldItems(numbers, numbers[0] ?? Infinity, work, (best, number) =>
    compareNumbers(number, best) < 0 ? number : best,
  );
}

/** The greatest number; of equal ones the last. −∞ of nothing. */
export function greatest(numbers: Numbers, work: Work): PromiseOrValue<NumberValue> {
  return foldItems(numbers, numbers[0] ?? -Infinity, work, (best, number) =>
    compareNumbers(number, best) >= 0 ? number : best,
  );
}

/** The number that occurs most often; of several the greatest. NaN of nothing. */
export function mode(numbers: Numbers, work: Work): PromiseOrValue<NumberValue> {
  return andThen(sortItems(numbers.slice(), work, compareNumbers), (ordered) => {
    let best: NumberValue = Number.NaN;
    let most = 0;
    let run = 0;
    ordered.forEach((number, index) => {
      run = index > 0 && compareNumbers(number, ordered[index - 1] as NumberValue) === 0 ? run + 1 : 1;
      if (run < most) return;
      most = run;
      best = ordered[index - run + 1] as NumberValue;
    });
    return best;
  });
}

/** Between the two nearest of the ordered numbers, in proportion; NaN of nothing and outside 0 … 100. */
export function percentile(numbers: Numbers, percent: number, work: Work): PromiseOrValue<number> {
  return andThen(inOrder(numbers, work), (ordered) => ofOrdered(ordered, percent));
}

function inOrder(numbers: Numbers, work: Work): PromiseOrValue<number[]> {
  return andThen(mapItems(numbers, work, toNumber), (plain) => sortItems(plain, work, compareNumbers));
}

function ofOrdered(ordered: readonly number[], percent: number): number {
  if (ordered.length === 0 || !(percent >= 0 && percent <= 100)) return Number.NaN;
  const rank = (percent / 100) * (ordered.length - 1);
  const below = ordered[Math.floor(rank)] as number;
  const above = ordered[Math.ceil(rank)] as number;
  return below + (above - below) * (rank - Math.floor(rank));
}

/** The number itself that a share of the others lies below; NaN of nothing and outside 0 … 100. */
export function nearestRank(numbers: Numbers, percent: number, work: Work): PromiseOrValue<NumberValue> {
  if (numbers.length === 0 || !(percent >= 0 && percent <= 100)) return Number.NaN;
  const index = Math.min(numbers.length - 1, Math.floor((percent / 100) * numbers.length));
  return andThen(sortItems(numbers.slice(), work, compareNumbers), (ordered) => ordered[index] as NumberValue);
}

/** The quartiles: a quarter, a half and three quarters of the numbers lie below them. */
export function quartiles(numbers: Numbers, work: Work): PromiseOrValue<readonly [number, number, number]> {
  return andThen(inOrder(numbers, work), (ordered) => [
    ofOrdered(ordered, 25),
    ofOrdered(ordered, 50),
    ofOrdered(ordered, 75),
  ]);
}

/** The difference between the greatest and the least; NaN of nothing. */
export function spread(numbers: Numbers, work: Work): PromiseOrValue<NumberValue> {
  if (numbers.length === 0) return Number.NaN;
  return andThen(greatest(numbers, work), (most) =>
    andThen(least(numbers, work), (fewest) => subtract(most, fewest) as NumberValue),
  );
}

/**
 * The `count` numbers that win against the others, in the order in which a binary heap leaves them: the first is the
 * weakest of them.
 */
export function strongest(
  numbers: Numbers,
  count: number,
  wins: (a: NumberValue, b: NumberValue) => boolean,
  work: Work,
): PromiseOrValue<NumberValue[]> {
  const heap: NumberValue[] = [];
  const taken = eachItem(numbers, work, (number) => {
    if (heap.length < count) siftUp(heap, number, wins);
    else if (wins(number, heap[0] as NumberValue)) siftDown(heap, number, wins);
  });
  return andThen(taken, () => heap);
}

type Wins = (a: NumberValue, b: NumberValue) => boolean;

function siftUp(heap: NumberValue[], number: NumberValue, wins: Wins): void {
  let index = heap.length;
  heap.push(number);
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if (!wins(heap[parent] as NumberValue, number)) break;
    heap[index] = heap[parent] as NumberValue;
    index = parent;
  }
  heap[index] = number;
}

/** Puts the number in the place of the first. */
function siftDown(heap: NumberValue[], number: NumberValue, wins: Wins): void {
  let index = 0;
  for (;;) {
    let child = 2 * index + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && wins(heap[child] as NumberValue, heap[child + 1] as NumberValue)) child++;
    if (!wins(number, heap[child] as NumberValue)) break;
    heap[index] = heap[child] as NumberValue;
    index = child;
  }
  heap[index] = number;
}
