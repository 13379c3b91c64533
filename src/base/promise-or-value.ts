/**
 * Something that is either there already or will be: memory and LMDB answer at once, PostgreSQL answers later, and nothing
 * becomes a promise unless it must (the idea is graphql-js's).
 */
export type PromiseOrValue<T> = T | Promise<T>;

/** Whether `value` must be waited for. Our own values never have a callable `then`, so the test is safe for them. */
export function isPromise<T>(value: PromiseOrValue<T>): value is Promise<T> {
  return value instanceof Promise;
}

/** Calls `next` with the value, now if it is there, later if it isn't. Errors thrown by `next` are thrown or rejected alike. */
export function andThen<T, U>(value: PromiseOrValue<T>, next: (value: T) => PromiseOrValue<U>): PromiseOrValue<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** What is waited for later, if at all: nobody need take care of its failure until then. */
export function unawaited<T>(value: PromiseOrValue<T>): PromiseOrValue<T> {
  if (value instanceof Promise) value.catch(() => undefined);
  return value;
}

/** Runs `work`; whatever its outcome, runs `cleanup` once afterwards. */
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

/** Runs `work`; hands an error, thrown or rejected, to `recover`. */
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

/** Maps in order, one after the other. Stays synchronous until the first promise turns up. */
export function mapInOrder<T, U>(
  items: readonly T[],
  map: (item: T, index: number) => PromiseOrValue<U>,
): PromiseOrValue<U[]> {
  // As long as it will be: an array that grows gets room for 17, and most have one item.
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
    // Most are there at once even if one was not, and a turn of the queue of promises for each costs more than many a map.
    results[index] = result instanceof Promise ? await result : result;
  }
  return results;
}

/**
 * `mapInOrder` without waiting for one before the next is begun, so that what they wait for is asked for together. The results, and the
 * first error in their order, are the same where none changes what another finds.
 */
export function mapTogether<T, U>(
  items: readonly T[],
  map: (item: T, index: number) => PromiseOrValue<U>,
): PromiseOrValue<U[]> {
  const results: PromiseOrValue<U>[] = [];
  const waits = begin(items, map, results);
  return waits ? allInOrder(results) : (results as U[]);
}

/** `filterInOrder` in the same way. More may be judged than are wanted, of which nothing is seen. */
export function filterTogether<T>(
  items: readonly T[],
  test: (item: T) => PromiseOrValue<boolean>,
  most = Number.POSITIVE_INFINITY,
): PromiseOrValue<T[]> {
  const verdicts: PromiseOrValue<boolean>[] = [];
  const waits = begin(items, test, verdicts);
  return waits ? firstInOrder(items, verdicts, most) : items.filter((_, at) => verdicts[at]).slice(0, most);
}

/** Begins all, up to the first that fails at once; answers whether there is something to wait for. */
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
      // It is thrown when its turn has come.
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

/** The first `most` items that pass a test, asked one after the other; those behind the last of them aren't asked. */
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

/** Calls `visit` for each item in order; `true` from `visit` ends the walk early. */
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

/** Repeats `step` until it answers true. However many steps there are, the stack doesn't grow. */
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
