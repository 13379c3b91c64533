/**
 * A value or a promise of it: memory and LMDB answer synchronously, network stores don't, and nothing becomes a promise
 * unless it must (an idea of graphql-js).
 */
export type PromiseOrValue<T> = T | Promise<T>;

/**
 * Whether `value` is a promise. Tessera's values never have a callable `then`.
 *
 * `andThen` takes a closure even where there is nothing to wait for. On the path of every statement the test is written
 * out instead: `RETURN 1` in process takes 0.83 rather than 1.08 µs (`bench/records/tried.md`).
 *
 *     isPromise(begun) ? begun.then(run) : run(begun)
 */
export function isPromise<T>(value: PromiseOrValue<T>): value is Promise<T> {
  return value instanceof Promise;
}

/**
 * Calls `next` with the value, synchronously if it is available. Errors of `next` are thrown or reject. Calls nest only
 * where rows flow; other code awaits (ADR 0042).
 *
 *     andThen(transaction.get(key), (stored) => stored !== undefined)
 */
export function andThen<T, U>(value: PromiseOrValue<T>, next: (value: T) => PromiseOrValue<U>): PromiseOrValue<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** A value that may be awaited later or never: its rejection isn't reported as unhandled. */
export function unawaited<T>(value: PromiseOrValue<T>): PromiseOrValue<T> {
  if (value instanceof Promise) value.catch(() => undefined);
  return value;
}

/**
 * Runs `work`, then `cleanup` once, whatever the outcome (`finally`).
 *
 *     lastly(() => readAll(cursor), () => cursor.close())
 */
export function lastly<T>(work: () => PromiseOrValue<T>, cleanup: () => void): PromiseOrValue<T> {
  let result: PromiseOrValue<T>;
  try {
    result = work();
  } catch (error) {
    cleanup();
    throw error;
  }
  if (result instanceof Promise) return result.finally(cleanup);
  cleanup();
  return result;
}

/**
 * Runs `work`, and `recover` on an error, thrown or rejected (`catch`).
 *
 *     otherwise(() => transaction.get(key), (error) => { throw asTesseraError(error); })
 */
export function otherwise<T>(
  work: () => PromiseOrValue<T>,
  recover: (error: unknown) => PromiseOrValue<T>,
): PromiseOrValue<T> {
  try {
    const result = work();
    return result instanceof Promise ? result.catch(recover) : result;
  } catch (error) {
    return recover(error);
  }
}

/**
 * Maps sequentially. Synchronous until the first promise.
 *
 *     mapInOrder(keys, (key) => transaction.get(key))   // an array, or a promise of one
 */
export function mapInOrder<T, U>(
  items: readonly T[],
  map: (item: T, index: number) => PromiseOrValue<U>,
): PromiseOrValue<U[]> {
  // Preallocated: a growing array gets capacity 17, and most have one item.
  const results = new Array<U>(items.length);
  for (let index = 0; index < items.length; index++) {
    const result = map(items[index] as T, index);
    if (result instanceof Promise) return mapRest(items, map, results, index, result);
    results[index] = result;
  }
  return results;
}

async function mapRest<T, U>(
  items: readonly T[],
  map: (item: T, index: number) => PromiseOrValue<U>,
  results: U[],
  waitingAt: number,
  first: Promise<U>,
): Promise<U[]> {
  results[waitingAt] = await first;
  for (let index = waitingAt + 1; index < items.length; index++) {
    const result = map(items[index] as T, index);
    // Most results are synchronous even after a promise, and a microtask per item would cost more than the mapping.
    results[index] = result instanceof Promise ? await result : result;
  }
  return results;
}

/**
 * `mapInOrder` that starts all items before awaiting the first, so that their storage reads are batched. Results, and
 * the first error, are the same if no item depends on another's effects.
 */
export function mapTogether<T, U>(
  items: readonly T[],
  map: (item: T, index: number) => PromiseOrValue<U>,
): PromiseOrValue<U[]> {
  const results: PromiseOrValue<U>[] = [];
  const waits = begin(items, map, results);
  return waits ? allInOrder(results) : (results as U[]);
}

/** `filterInOrder` in the same way. Items beyond the first `most` may be tested; their results are ignored. */
export function filterTogether<T>(
  items: readonly T[],
  test: (item: T) => PromiseOrValue<boolean>,
  most = Number.POSITIVE_INFINITY,
): PromiseOrValue<T[]> {
  const verdicts: PromiseOrValue<boolean>[] = [];
  const waits = begin(items, test, verdicts);
  return waits ? firstInOrder(items, verdicts, most) : items.filter((_, at) => verdicts[at]).slice(0, most);
}

/** Starts all items, up to the first that throws; returns whether any is a promise. */
function begin<T, U>(
  items: readonly T[],
  work: (item: T, index: number) => PromiseOrValue<U>,
  results: PromiseOrValue<U>[],
): boolean {
  let waits = false;
  for (let index = 0; index < items.length; index++) {
    let result: PromiseOrValue<U>;
    try {
      result = work(items[index] as T, index);
    } catch (error) {
      result = Promise.reject<U>(error);
      index = items.length;
    }
    if (result instanceof Promise) {
      waits = true;
      // Thrown when it is awaited in order.
      result.catch(() => undefined);
    }
    results.push(result);
  }
  return waits;
}

async function allInOrder<U>(results: readonly PromiseOrValue<U>[]): Promise<U[]> {
  const settled: U[] = [];
  for (const result of results) settled.push(await result);
  return settled;
}

async function firstInOrder<T>(
  items: readonly T[],
  verdicts: readonly PromiseOrValue<boolean>[],
  most: number,
): Promise<T[]> {
  const kept: T[] = [];
  for (let at = 0; at < verdicts.length && kept.length < most; at++) if (await verdicts[at]) kept.push(items[at] as T);
  return kept;
}

/** The first `most` items that pass a test, tested sequentially; later items aren't tested. */
export function filterInOrder<T>(
  items: readonly T[],
  test: (item: T) => PromiseOrValue<boolean>,
  most = Number.POSITIVE_INFINITY,
): PromiseOrValue<T[]> {
  const kept: T[] = [];
  for (let index = 0; index < items.length && kept.length < most; index++) {
    const item = items[index] as T;
    const passes = test(item);
    if (passes instanceof Promise) return filterRest(items, test, most, kept, index, passes);
    if (passes) kept.push(item);
  }
  return kept;
}

async function filterRest<T>(
  items: readonly T[],
  test: (item: T) => PromiseOrValue<boolean>,
  most: number,
  kept: T[],
  waitingAt: number,
  first: Promise<boolean>,
): Promise<T[]> {
  if (await first) kept.push(items[waitingAt] as T);
  for (let index = waitingAt + 1; index < items.length && kept.length < most; index++) {
    const passes = test(items[index] as T);
    if (passes instanceof Promise ? await passes : passes) kept.push(items[index] as T);
  }
  return kept;
}

/**
 * Calls `visit` for each item sequentially; `true` from `visit` stops.
 *
 *     forEachInOrder(rows, (row) => visit(row) && count++ === limit)
 */
export function forEachInOrder<T>(
  items: readonly T[],
  visit: (item: T, index: number) => PromiseOrValue<boolean | undefined>,
  from = 0,
): PromiseOrValue<void> {
  for (let index = from; index < items.length; index++) {
    const stop = visit(items[index] as T, index);
    if (stop instanceof Promise) {
      return stop.then((stopped) => (stopped ? undefined : forEachInOrder(items, visit, index + 1)));
    }
    if (stop) return;
  }
}

/**
 * Repeats `step` until it returns true, without growing the stack.
 *
 *     untilTrue(() => andThen(cursor.next(), (batch) => batch === undefined || visit(batch)))
 */
export function untilTrue(step: () => PromiseOrValue<boolean>): PromiseOrValue<void> {
  for (;;) {
    const done = step();
    if (done instanceof Promise) return untilTrueLater(done, step);
    if (done) return;
  }
}

async function untilTrueLater(first: Promise<boolean>, step: () => PromiseOrValue<boolean>): Promise<void> {
  let done = await first;
  while (!done) done = await step();
}
