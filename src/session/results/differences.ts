/** The differences between two results: row by row where rows have ids, else the whole. */

import { eachItem } from '../../base/work/loops.js';
import type { Work } from '../../base/work/work.js';
import type { Notification } from '../../runtime/notification.js';
import { identical } from '../../value/identical.js';
import { diffInSteps } from '../../value/patch/diff.js';
import { MAX_OPERATIONS } from '../../value/patch/patch.js';
import { toText } from '../../value/text/text.js';
import {
  type ArrayValue,
  isArray,
  isObject,
  type ObjectValue,
  objectFrom,
  RecordId,
  type Value,
} from '../../value/value.js';

/** A difference as a notification has it. A whole result has no record. */
export type ResultDifference = Pick<Notification, 'action' | 'record' | 'result' | 'position'>;

export interface DifferenceOptions {
  /** They have positions, and rows that have moved are among them. */
  readonly isOrdered: boolean;
  /** They are JSON Patches of the whole. */
  readonly isPatched: boolean;
}

/**
 * What leads from one result to another, applied in order: a row that is gone is removed, a new one inserted at its
 * position, and a changed or moved one replaced there, after it was taken out. Long lists are compared in steps.
 *
 *     await differences([{ id: a:1 }], [{ id: a:2 }, { id: a:1 }], …) // [{ action: 'CREATE', record: a:2, position: 0, … }]
 */
export async function differences(
  before: Value,
  after: Value,
  { isOrdered, isPatched }: DifferenceOptions,
  work: Work,
): Promise<readonly ResultDifference[]> {
  if (before === after) return [];
  if (!isPatched && isArray(before) && isArray(after)) {
    const rowsBefore = await rowsOf(before, work);
    const rowsAfter = rowsBefore && (await rowsOf(after, work));
    if (rowsBefore !== undefined && rowsAfter !== undefined) {
      const unchanged = await unchangedRows(rowsBefore, rowsAfter, work);
      const gone: ResultDifference[] = [];
      await eachItem([...rowsBefore], work, ([name, { id }]) => {
        if (!rowsAfter.has(name)) gone.push({ action: 'DELETE', record: id, result: objectFrom({ id }) });
      });
      const changed = isOrdered
        ? await placed(rowsBefore, rowsAfter, unchanged, work)
        : unplaced(rowsBefore, rowsAfter, unchanged);
      return [...gone, ...changed];
    }
  }
  if (await areIdentical(before, after, work)) return [];
  return [whole(isPatched ? await patchOf(before, after, work) : after)];
}

function whole(result: Value): ResultDifference {
  return { action: 'UPDATE', record: undefined, result };
}

/** The whole replaces what would take more operations than a patch may have. */
async function patchOf(before: Value, after: Value, work: Work): Promise<Value[]> {
  const operations = await diffInSteps(before, after, work);
  if (operations.length <= MAX_OPERATIONS) return operations;
  return [objectFrom({ op: 'replace', path: '', value: after })];
}

async function areIdentical(before: Value, after: Value, work: Work): Promise<boolean> {
  if (!isArray(before) || !isArray(after)) return identical(before, after);
  if (before.length !== after.length) return false;
  let are = true;
  await eachItem(before, work, (item, at) => {
    are &&= identical(item, after[at]);
  });
  return are;
}

interface Row {
  readonly id: RecordId;
  readonly value: ObjectValue;
}

type Rows = ReadonlyMap<string, Row>;

/** The rows by their ids; `undefined` if it isn't a list of rows with an id each. */
async function rowsOf(result: ArrayValue, work: Work): Promise<Rows | undefined> {
  const rows = new Map<string, Row>();
  await eachItem(result, work, (value) => {
    const id = isObject(value) ? value['id'] : undefined;
    if (isObject(value) && id instanceof RecordId) rows.set(toText(id), { id, value });
  });
  return rows.size === result.length ? rows : undefined;
}

/** The names of rows with the same content in both. */
async function unchangedRows(before: Rows, after: Rows, work: Work): Promise<ReadonlySet<string>> {
  const unchanged = new Set<string>();
  await eachItem([...after], work, ([name, { value }]) => {
    const known = before.get(name);
    if (known !== undefined && identical(known.value, value)) unchanged.add(name);
  });
  return unchanged;
}

function changeOf(before: Row | undefined, { id, value }: Row): ResultDifference {
  return { action: before === undefined ? 'CREATE' : 'UPDATE', record: id, result: value };
}

function unplaced(before: Rows, after: Rows, unchanged: ReadonlySet<string>): ResultDifference[] {
  const changed: ResultDifference[] = [];
  for (const [name, row] of after) if (!unchanged.has(name)) changed.push(changeOf(before.get(name), row));
  return changed;
}

/**
 * The rows that are new, changed or moved, with their positions. As many of the unchanged ones as can stay in the same
 * order among each other (a longest increasing subsequence); each other row comes right behind the one before it.
 */
async function placed(
  before: Rows,
  after: Rows,
  unchanged: ReadonlySet<string>,
  work: Work,
): Promise<ResultDifference[]> {
  const left = [...before.keys()].filter((name) => after.has(name));
  const former = new Map(left.map((name, at) => [name, at] as const));
  const names = [...after.keys()];
  const stays = await staying(
    names.map((name) => (unchanged.has(name) ? former.get(name) : undefined)),
    work,
  );
  const slots = new Slots(left, names, stays);
  const changed: ResultDifference[] = [];
  await eachItem([...after], work, ([name, row], at) => {
    if (stays.has(at)) return;
    const known = before.get(name);
    if (known !== undefined) slots.take(name);
    slots.put(at);
    changed.push({ ...changeOf(known, row), position: slots.position(at) });
  });
  return changed;
}

/** The places in `order` of a longest subsequence that ascends; `undefined` is passed over. */
async function staying(order: readonly (number | undefined)[], work: Work): Promise<ReadonlySet<number>> {
  /** By length less one: the place of the least last element of such a subsequence. */
  const ends: number[] = [];
  const previous = new Map<number, number>();
  await eachItem(order, work, (value, place) => {
    if (value === undefined) return;
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((order[ends[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    if (low > 0) previous.set(place, ends[low - 1] as number);
    ends[low] = place;
  });
  const stays = new Set<number>();
  for (let place = ends.at(-1); place !== undefined; place = previous.get(place)) stays.add(place);
  return stays;
}

/**
 * The list while differences are applied to it, as slots in the order in which rows may ever stand there: counts those
 * that are taken before one (a Fenwick tree).
 */
class Slots {
  readonly #counts: number[];
  /** The slots of rows to be moved, where they stand before, and of all rows where they stand afterwards. */
  readonly #former = new Map<string, number>();
  readonly #final: number[] = [];

  /** `before` has the rows that aren't gone, `stays` the places in `after` of those that aren't moved. */
  constructor(before: readonly string[], after: readonly string[], stays: ReadonlySet<number>) {
    this.#counts = new Array<number>(before.length + after.length + 1).fill(0);
    let slot = 0;
    let place = 0;
    const follow = () => {
      for (; place < after.length && !stays.has(place); place++) this.#final[place] = ++slot;
    };
    follow();
    for (const name of before) {
      if (name === after[place]) {
        this.#final[place++] = ++slot;
        this.#add(slot, 1);
        follow();
      } else {
        this.#former.set(name, ++slot);
        this.#add(slot, 1);
      }
    }
  }

  /** A row is taken from where it stood before. */
  take(name: string): void {
    this.#add(this.#former.get(name) as number, -1);
  }

  /** A row is put where it stands afterwards, by its place there. */
  put(place: number): void {
    this.#add(this.#final[place] as number, 1);
  }

  /** How many rows stand before one. */
  position(place: number): number {
    let count = 0;
    for (let slot = (this.#final[place] as number) - 1; slot > 0; slot -= slot & -slot) {
      count += this.#counts[slot] as number;
    }
    return count;
  }

  #add(slot: number, count: number): void {
    for (let at = slot; at < this.#counts.length; at += at & -at)
      this.#counts[at] = (this.#counts[at] as number) + count;
  }
}
