/** The difference of two values, as a JSON Patch (RFC 6902) with `change` for texts. `patch` applies it. */
import type { Diff } from 'diff-match-patch-es';
import { lazyLibrary } from '../../base/lazy.js';
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { inSteps } from '../../base/work/loops.js';
import type { Work } from '../../base/work/work.js';
import { commonEnd, commonStart, firstPoints, lastPoints, pointCount } from '../code-points.js';
import { Comparisons } from '../order.js';
import { sortedKeys } from '../strings.js';
import { type ArrayValue, isArray, isObject, type ObjectValue, objectFrom, type Value } from '../value.js';
import { Walk } from '../walk.js';

const walkAtOnce = new Walk();
/** So many characters of a changed text count as much as one value. */
const CHARACTERS_OF_NODE = 8;

/**
 * The operations in the order in which they must be applied: `[{ op: 'replace', path: '/a', value: 2 }]`. The path of
 * the whole value is `''`. Values that are equal (`1` and `1f`) don't differ.
 */
export function diff(before: Value, after: Value): Value[] {
  const difference = differenceBy(walkAtOnce);
  compareAt(before, after, '', walkAtOnce.begin(), difference);
  return difference.operations;
}

/** The same, with checkpoints between the elements of lists. */
export function diffInSteps(before: Value, after: Value, work: Work): PromiseOrValue<Value[]> {
  if (!isArray(before) || !isArray(after)) return diff(before, after);
  // Others walk at once between the steps.
  const walk = new Walk();
  const difference = differenceBy(walk);
  const count = Math.max(before.length, after.length);
  const below = walk.enter(walk.begin(), before.length + after.length);
  const compared = inSteps(count, work, (from, to) => {
    for (let index = from; index < to; index++) compareItem(before, after, index, '', below, difference);
  });
  return andThen(compared, () => difference.operations);
}

function differenceBy(walk: Walk): Difference {
  return { walk, operations: [], comparisons: new Comparisons(), texts: new TextDiffs() };
}

interface Difference {
  readonly walk: Walk;
  readonly operations: Value[];
  readonly comparisons: Comparisons;
  readonly texts: TextDiffs;
}

function compareAt(before: Value, after: Value, path: string, depth: number, difference: Difference): void {
  if (before === after) return;
  const { walk, operations, comparisons, texts } = difference;
  if (typeof before === 'string' && typeof after === 'string') {
    walk.count(Math.floor((before.length + after.length) / CHARACTERS_OF_NODE));
    operations.push(objectFrom({ op: 'change', path, value: texts.patch(before, after) }));
  } else if (isObject(before) && isObject(after)) {
    compareFields(before, after, path, depth, difference);
  } else if (isArray(before) && isArray(after)) {
    compareItems(before, after, path, depth, difference);
  } else if (!comparisons.equals(before, after)) {
    operations.push(objectFrom({ op: 'replace', path, value: after }));
  }
}

function compareFields(
  before: ObjectValue,
  after: ObjectValue,
  path: string,
  depth: number,
  difference: Difference,
): void {
  const { walk, operations } = difference;
  const removed = sortedKeys(before);
  const kept = sortedKeys(after);
  const below = walk.enter(depth, removed.length + kept.length);
  for (const key of removed) {
    if (!Object.hasOwn(after, key)) operations.push(objectFrom({ op: 'remove', path: member(path, key) }));
  }
  for (const key of kept) {
    const at = member(path, key);
    if (Object.hasOwn(before, key)) compareAt(before[key], after[key], at, below, difference);
    else operations.push(objectFrom({ op: 'add', path: at, value: after[key] }));
  }
}

function compareItems(
  before: ArrayValue,
  after: ArrayValue,
  path: string,
  depth: number,
  difference: Difference,
): void {
  const below = difference.walk.enter(depth, before.length + after.length);
  const count = Math.max(before.length, after.length);
  for (let index = 0; index < count; index++) compareItem(before, after, index, path, below, difference);
}

/** Place by place. Elements at the end are removed from the last on, so that the places of the others stay. */
function compareItem(
  before: ArrayValue,
  after: ArrayValue,
  index: number,
  path: string,
  depth: number,
  difference: Difference,
): void {
  const { operations } = difference;
  const isBefore = index < before.length;
  if (isBefore && index < after.length) {
    compareAt(before[index], after[index], `${path}/${index}`, depth, difference);
  } else if (isBefore) {
    const last = before.length - 1 - (index - after.length);
    operations.push(objectFrom({ op: 'remove', path: `${path}/${last}` }));
  } else {
    operations.push(objectFrom({ op: 'add', path: `${path}/${index}`, value: after[index] }));
  }
}

/** A JSON Pointer (RFC 6901) one step further. */
function member(path: string, key: string): string {
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

// The difference of two texts, as patches of diff-match-patch: the hunks that the library finds, counted in code
// points.

const library = lazyLibrary<typeof import('diff-match-patch-es')>('diff-match-patch-es');

/** Maximum cost of finding the changes in one diff of values: the sum of the squares of differing lengths. */
const MAX_WORK = 2 ** 20;
/** A text costs as much as if so many more characters of it differed. */
const TEXT_WORK = 64;
/** Maximum number of code points around the difference that are considered. */
const MAX_AROUND = 1024;
/** Minimum number of code points of context around a change. */
const CONTEXT = 4;

/** Changes of texts, within one diff of values. */
export class TextDiffs {
  #work = MAX_WORK;

  /**
   * The patch that turns one text into another; the two must differ. What is too large to be searched is one change.
   */
  patch(before: string, after: string): string {
    const start = commonStart(before, after);
    const end = commonEnd(before, after, start);
    const removed = before.slice(start, before.length - end);
    const added = after.slice(start, after.length - end);
    const cost = (Math.max(removed.length, added.length) + TEXT_WORK) ** 2;
    const searched = cost <= this.#work;
    if (searched) this.#work -= cost;

    const around = searched ? MAX_AROUND : CONTEXT;
    const lead = lastPoints(before.slice(0, start), around);
    const tail = firstPoints(before.slice(before.length - end), around);
    const place = pointCount(before.slice(0, start - lead.length));
    if (searched) return changes(place, lead + removed + tail, lead + added + tail);
    return hunk(place, [same(lead), [-1, removed], [1, added], same(tail)]);
  }
}

/** The hunks that turn one text into another, both of which begin at a place of larger ones. */
function changes(place: number, before: string, after: string): string {
  const standIns = new StandIns(before + after);
  const [from, to] = [standIns.shorten(before), standIns.shorten(after)];
  // Without a timeout the same texts always give the same patch.
  const { diffMain, diffCleanupSemantic, patchMake } = library();
  const differences = diffMain(from, to, { diffTimeout: 0 }, false);
  diffCleanupSemantic(differences);
  return stretches(differences)
    .flatMap(({ passed, start, parts }) => {
      // A hunk is made for the text as those before it have left it.
      const [done, rest] = [to.slice(0, start), from.slice(passed)];
      return patchMake(done + rest, [same(done), ...parts, same(rest.slice(lengthWithout(1, parts)))]);
    })
    .map(({ start2, diffs }) => {
      const parts = diffs.map(([mark, text]): Diff => [mark, standIns.restore(text)]);
      return hunk(place + start2, parts);
    })
    .join('');
}

interface Stretch {
  /** Its start in the old text. */
  readonly passed: number;
  /** Its start in the new text. */
  readonly start: number;
  readonly parts: Diff[];
}

/**
 * Changes that are so near to each other that they share a hunk. With just two contexts between, the hunk ends behind
 * those, as the peer's.
 */
function stretches(differences: readonly Diff[]): Stretch[] {
  const found: Stretch[] = [];
  let current: Stretch | undefined;
  let [passed, start] = [0, 0];
  for (const [index, difference] of differences.entries()) {
    const [mark, text] = difference;
    const atEdge = index === 0 || index === differences.length - 1;
    if (mark !== 0 || (!atEdge && text.length <= 2 * CONTEXT)) {
      if (current === undefined) {
        current = { passed, start, parts: [] };
        found.push(current);
      }
      current.parts.push(difference);
    }
    if (mark === 0 && text.length >= 2 * CONTEXT) current = undefined;
    if (mark !== 1) passed += text.length;
    if (mark !== -1) start += text.length;
  }
  return found;
}

function same(text: string): Diff {
  return [0, text];
}

const MARKS = { [-1]: '-', 0: ' ', 1: '+' } as const;

/** A hunk as text. An empty stretch is named by the place before it. */
function hunk(place: number, parts: readonly Diff[]): string {
  const span = (other: Diff[0]) => {
    const length = lengthWithout(other, parts);
    return `${length === 0 ? place : place + 1},${length}`;
  };
  const lines = parts.map(([mark, text]) => (text === '' ? '' : `${MARKS[mark]}${encode(text)}\n`));
  return `@@ -${span(1)} +${span(-1)} @@\n${lines.join('')}`;
}

/** How many code points the parts have but for those with a mark. */
function lengthWithout(other: Diff[0], parts: readonly Diff[]): number {
  return parts.reduce((sum, [mark, text]) => (mark === other ? sum : sum + pointCount(text)), 0);
}

/** As `encodeURI` does it, but for what stays readable within a line. */
function encode(text: string): string {
  return encodeURI(text.replace(LONE_SURROGATE, '\ufffd')).replaceAll('%20', ' ');
}

const LONE_SURROGATE = /\p{Cs}/gu;
const BEYOND_ASCII = /[^\p{ASCII}]/gu;
const ALPHANUMERIC = /[\p{Alphabetic}\p{N}]/u;
const ASCII_LETTERS = Array.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789');
const LAST_PRIVATE_USE = 0xf8ff;

/**
 * Units that a text doesn't have for its characters beyond ASCII. The library counts and cuts by units: those of two
 * need one to stand in, of private use. And it prefers to cut at the ends of words, but knows letters of ASCII only:
 * they stand in for others as long as there are any.
 */
class StandIns {
  readonly #units = new Map<string, string>();
  readonly #characters = new Map<string, string>();

  constructor(text: string) {
    const characters = new Set(text.match(BEYOND_ASCII));
    if (characters.size === 0) return;
    const taken = new Set(text.split(''));
    const letters = ASCII_LETTERS.filter((letter) => !taken.has(letter));
    let code = LAST_PRIVATE_USE;
    for (const character of characters) {
      let unit = ALPHANUMERIC.test(character) ? letters.pop() : undefined;
      if (unit === undefined && character.length === 1) continue;
      while (taken.has(String.fromCharCode(code))) code--;
      unit ??= String.fromCharCode(code--);
      this.#units.set(character, unit);
      this.#characters.set(unit, character);
    }
  }

  shorten(text: string): string {
    return text.replace(BEYOND_ASCII, (character) => this.#units.get(character) ?? character);
  }

  restore(text: string): string {
    if (this.#characters.size === 0) return text;
    return Array.from(text, (unit) => this.#characters.get(unit) ?? unit).join('');
  }
}
