/**
 * Applies JSON Patches (RFC 6902), with the reference engine's extensions: `change` for texts, objects on the path are
 * made, `replace` may create, `remove` may find nothing, and `add` to an array appends to it: a value, or the elements
 * of an array.
 */
import { failure, type TesseraError } from '../../errors/error.js';
import { unitIndex } from '../code-points.js';
import { nextDepth } from '../nesting.js';
import { equals } from '../order.js';
import { withField } from '../paths.js';
import { toErrorText } from '../text/text.js';
import { type ArrayValue, isArray, isObject, newObject, type ObjectValue, type Value } from '../value.js';

type Pointer = readonly string[];

interface Operation {
  readonly path: Pointer;
  /** Of `copy` and `move`. */
  readonly from: Pointer;
  /** Of the others. */
  readonly value: Value;
}

/** The members of each operation besides its path, and its effect on the document. */
interface Operator {
  readonly needs: 'value' | 'from' | undefined;
  apply(document: Value, operation: Operation): Value;
}

const OPERATORS: Readonly<Record<string, Operator>> = {
  add: { needs: 'value', apply: (document, { path, value }) => write(document, path, value, 'add') },
  replace: { needs: 'value', apply: (document, { path, value }) => write(document, path, value, 'replace') },
  remove: { needs: undefined, apply: (document, { path }) => remove(document, path) },
  change: { needs: 'value', apply: change },
  copy: { needs: 'from', apply: (document, { path, from }) => write(document, path, found(document, from), 'add') },
  move: { needs: 'from', apply: move },
  test: { needs: 'value', apply: test },
};

/** Each operation may copy an array as long as the document is; so many are allowed in one patch. */
export const MAX_OPERATIONS = 10_000;

/**
 * Applies JSON Patch operations (RFC 6902). They are validated as a whole before the first is applied.
 * @throws TesseraError `patch_invalid`, `patch_test_failed`
 */
export function patch(value: Value, operations: Value): Value {
  if (!isArray(operations) || !operations.every(isObject))
    throw invalid('Patch operations should be an array of objects');
  if (operations.length > MAX_OPERATIONS) throw invalid(`A patch may have ${MAX_OPERATIONS} operations at most`);
  return operations.map(readOperation).reduce((document: Value, apply) => apply(document), value);
}

function readOperation(object: ObjectValue): (document: Value) => Value {
  const { op } = object;
  if (op === undefined) throw invalid("Key 'op' missing");
  if (typeof op !== 'string') throw invalid("Key 'op' not a string");
  const path = readPointer(object, 'path');
  const operator = Object.hasOwn(OPERATORS, op) ? OPERATORS[op] : undefined;
  if (operator === undefined) throw invalid(`Invalid operation '${op}'`);
  // The text is the peer's, which names the key of the other operations.
  if (operator.needs === 'value' && !Object.hasOwn(object, 'value')) throw invalid("Key 'from' missing");
  const from = operator.needs === 'from' ? readPointer(object, 'from') : [];
  // Copying a document into itself doubles it each time, and shows what lies hidden in it.
  if (operator.needs === 'from' && from.length === 0) throw invalid("Key 'from' must not be the whole document");
  const operation: Operation = { path, from, value: object['value'] };
  return (document) => operator.apply(document, operation);
}

/** A JSON Pointer (RFC 6901). The first slash may be left out. */
function readPointer(object: ObjectValue, name: string): Pointer {
  const pointer = object[name];
  if (pointer === undefined) throw invalid(`Key '${name}' missing`);
  if (typeof pointer !== 'string') throw invalid(`Key '${name}' is not a path`);
  if (pointer === '') return [];
  const steps = (pointer.startsWith('/') ? pointer.slice(1) : pointer).split('/');
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function invalid(what: string): TesseraError {
  return failure('patch_invalid', { what });
}

function read(document: Value, path: Pointer): Value {
  let at = document;
  for (const step of path) {
    if (isArray(at)) at = at[itemIndex(step) ?? -1];
    else at = isObject(at) ? at[step] : undefined;
  }
  return at;
}

/** What is copied or moved; without it the target would be lost. */
function found(document: Value, path: Pointer): Value {
  const value = read(document, path);
  if (value === undefined) throw invalid(`There is nothing at '${printed(path)}'`);
  return value;
}

function printed(path: Pointer): string {
  return path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function write(document: Value, path: Pointer, value: Value, mode: 'add' | 'replace', depth = 0): Value {
  const step = path[depth];
  if (step === undefined) {
    if (mode !== 'add' || depth === 0 || !isArray(document)) return value;
    return isArray(value) ? [...document, ...value] : [...document, value];
  }
  const next = nextDepth(depth);
  if (isArray(document)) {
    const index = step === '-' ? document.length : itemIndex(step);
    if (index === undefined) throw invalid(`'${step}' is not a place in an array`);
    const place = Math.min(index, document.length);
    if (next < path.length) return withItem(document, place, write(document[place], path, value, mode, next));
    return mode === 'add' ? document.toSpliced(place, 0, value) : withItem(document, place, value);
  }
  if (isObject(document)) return withField(document, step, write(document[step], path, value, mode, next));
  if (document !== undefined && document !== null) throw invalid(`'${step}' lies within a value that has no fields`);
  return withField(newObject(), step, write(undefined, path, value, mode, next));
}

function withItem(items: ArrayValue, index: number, item: Value): ArrayValue {
  return items.toSpliced(index, 1, item);
}

function remove(document: Value, path: Pointer, depth = 0): Value {
  const step = path[depth];
  if (step === undefined) return undefined;
  const next = nextDepth(depth);
  const last = next === path.length;
  if (isArray(document)) {
    const index = itemIndex(step);
    if (index === undefined || index >= document.length) return document;
    return last ? document.toSpliced(index, 1) : withItem(document, index, remove(document[index], path, next));
  }
  if (!isObject(document) || !Object.hasOwn(document, step)) return document;
  return withField(document, step, remove(document[step], path, next));
}

function change(document: Value, { path, value }: Operation): Value {
  const text = read(document, path);
  if (typeof text !== 'string') throw invalid(`'${printed(path)}' is not a text to change`);
  if (typeof value !== 'string') throw invalid("Key 'value' is not the change of a text");
  return write(document, path, patchText(text, value), 'replace');
}

function move(document: Value, { path, from }: Operation): Value {
  if (from.length < path.length && from.every((step, index) => step === path[index])) {
    throw invalid('A value cannot be moved into itself');
  }
  return write(remove(document, from), path, found(document, from), 'add');
}

function test(document: Value, { path, value }: Operation): Value {
  const actual = read(document, path);
  if (equals(actual, value)) return document;
  throw failure('patch_test_failed', { expected: toErrorText(value), found: toErrorText(actual) });
}

const INDEX = /^(?:0|[1-9]\d{0,9})$/;

function itemIndex(step: string): number | undefined {
  return INDEX.test(step) ? Number(step) : undefined;
}

// Applies differences of texts in the patch format of diff-match-patch, which `change` operations hold and
// `diff.ts` makes:
//
//     @@ -3,9 +3,9 @@        place (from 1) and length, before and after, in code points
//      llo                   what stays, percent-encoded
//     -world
//     +there
//
// A hunk counts places in the text as the hunks before it have left it.

interface Hunk {
  /** Where it begins, in code points from 0. */
  readonly place: number;
  readonly before: string;
  readonly after: string;
}

/** Applies a patch. @throws TesseraError `patch_invalid` if it can't be read or the text isn't what it was made for */
export function patchText(text: string, patch: string): string {
  let result = text;
  for (const hunk of parse(patch)) result = applyHunk(result, hunk);
  return result;
}

/** Where the hunk says, or else at the nearest place before or behind it that holds the same text. */
function applyHunk(text: string, { place, before, after }: Hunk): string {
  const expected = unitIndex(text, place);
  const behind = text.indexOf(before, expected);
  const ahead = text.lastIndexOf(before, expected);
  if (behind < 0 && ahead < 0) throw invalid('The text is not the one that the change was made for');
  const nearer = behind < 0 || (ahead >= 0 && expected - ahead < behind - expected) ? ahead : behind;
  return text.slice(0, nearer) + after + text.slice(nearer + before.length);
}

const HEADER = /^@@ -(\d{1,15})(?:,(\d{1,15}))? \+\d{1,15}(?:,\d{1,15})? @@$/;
const MAX_HUNKS = 1000;

function parse(patch: string): Hunk[] {
  const hunks: { place: number; before: string; after: string }[] = [];
  for (const text of patch.split('\n')) {
    if (text === '') continue;
    const header = HEADER.exec(text);
    if (header !== null) {
      if (hunks.length === MAX_HUNKS) throw invalid(`A change has more than ${MAX_HUNKS} parts`);
      // An empty stretch is named by the place before it.
      hunks.push({ place: Number(header[1]) - (header[2] === '0' ? 0 : 1), before: '', after: '' });
      continue;
    }
    const hunk = hunks.at(-1);
    const mark = text[0];
    if (hunk === undefined || (mark !== ' ' && mark !== '-' && mark !== '+')) throw invalid('InvalidInput');
    const content = decode(text.slice(1));
    if (mark !== '+') hunk.before += content;
    if (mark !== '-') hunk.after += content;
  }
  return hunks;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('InvalidInput');
  }
}
