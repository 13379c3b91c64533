/**
 * Field definitions name places in a record (`a.b`, `tags.*`, `lines[0].sum`); this walks all places that a path names.
 */
import { andThen, mapInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import { mapItems } from '../base/work/loops.js';
import type { Part } from '../language/ast.js';
import type { Execution } from '../runtime/execution.js';
import { missingFrom, setFrom } from '../value/order.js';
import { withField } from '../value/paths.js';
import {
  type ArrayValue,
  isArray,
  isObject,
  newObject,
  type ObjectValue,
  SetValue,
  type Value,
} from '../value/value.js';
import type { ElementNumbers, NumberedElement } from './element-numbers.js';

/** Versions of a value: as it was before, and as the statement would have it. */
export type ValueVersions = readonly [before: Value, draft: Value];

/** The rewrite at the places of a path. */
export interface PathRewrite {
  readonly parts: readonly Part[];
  /**
   * How many parts lead to a parent that may be absent. Without it a place isn't asked for: `address.city TYPE string`
   * says nothing of records without an address.
   */
  readonly optionalParents: readonly number[];
  /**
   * Whether places are met that aren't asked for, among them those that are gone: where nothing may be removed that was
   * there before.
   */
  readonly keeps: boolean;
  /** Those of the write. */
  readonly origins: ElementNumbers;
  /** The elements of long lists are rewritten in steps. */
  readonly execution: Pick<Execution, 'interrupt'>;
  /** Gives the new value of a place; NONE removes it. */
  rewrite(value: Value, companions: ValueVersions, isAsked: boolean): PromiseOrValue<Value>;
}

/**
 * Rewrites each place in `value`, leaving the original untouched. `companions` are walked in step: elements of arrays
 * by their places in the stored one, those of sets by being equal. A missing parent is made only when there is
 * something to put into it. A value that replaced a parent of another kind is discarded if something of that parent
 * remains.
 */
export function rewriteAtPath(value: Value, companions: ValueVersions, places: PathRewrite): PromiseOrValue<Value> {
  return rewriteFrom(value, companions, places, 0, true);
}

function rewriteFrom(
  value: Value,
  companions: ValueVersions,
  places: PathRewrite,
  depth: number,
  wasAsked: boolean,
): PromiseOrValue<Value> {
  const part = places.parts[depth];
  if (part === undefined) return places.rewrite(value, companions, wasAsked);
  const isAsked = wasAsked && (value !== undefined || !places.optionalParents.includes(depth));
  if (!places.keeps) return isAsked ? rewriteBelow(value, companions, places, depth, isAsked) : value;
  const [before, draft] = companions;
  const isMade = isAsked && value === undefined && part.kind === 'field' && isObject(before);
  const former = isMade ? undefined : emptied(before, value);
  if (former === undefined) return rewriteBelow(value, companions, places, depth, isAsked);
  return andThen(rewriteBelow(former, [before, undefined], places, depth, false), (left) =>
    left === former ? rewriteBelow(value, [undefined, draft], places, depth, isAsked) : left,
  );
}

/** A parent without its content, if no parent of its kind is left. */
function emptied(before: Value, value: Value): Value {
  if (isObject(before)) return isObject(value) ? undefined : newObject();
  if (isArray(before)) return isArray(value) ? undefined : [];
  if (before instanceof SetValue) return value instanceof SetValue ? undefined : setFrom([]);
  return undefined;
}

const NOTHING: ValueVersions = [undefined, undefined];

type Below = (
  value: Value,
  companions: ValueVersions,
  places: PathRewrite,
  depth: number,
  isAsked: boolean,
) => PromiseOrValue<Value>;

function rewriteBelow(...[value, companions, places, depth, isAsked]: Parameters<Below>): PromiseOrValue<Value> {
  const part = places.parts[depth];
  switch (part?.kind) {
    case 'field': {
      // A path through a list is for its readers; permissions hold all the same.
      if (isArray(value)) return places.keeps ? rewriteItems(value, companions, places, depth, false) : value;
      if (value instanceof SetValue) return rewriteSet(value, companions, places, depth);
      if (value === undefined || isObject(value))
        return rewriteMember(value, part.name, companions, places, depth + 1, isAsked);
      // Below what has no fields there is NONE, which can be replaced only if there is nothing around it.
      return andThen(rewriteMember(undefined, part.name, NOTHING, places, depth + 1, isAsked), (fresh) =>
        value === null ? (fresh ?? value) : value,
      );
    }
    case 'all':
      if (isArray(value)) return rewriteItems(value, companions, places, depth + 1, isAsked);
      if (value instanceof SetValue) return rewriteSet(value, companions, places, depth + 1);
      return isObject(value) ? rewriteMembers(value, companions, places, depth + 1, isAsked) : value;
    case 'flatten':
      if (isArray(value)) return rewriteItems(value, companions, places, depth + 1, isAsked);
      if (value instanceof SetValue) return rewriteSet(value, companions, places, depth + 1);
      // Nothing is declared of members but who may change them.
      return places.keeps && isObject(value) ? rewriteMembers(value, companions, places, depth + 1, false) : value;
    case 'index': {
      const index = part.index.kind === 'literal' ? part.index.value : undefined;
      if (typeof index !== 'number' || isObject(value)) return value;
      if (isArray(value)) return rewriteItem(value, index, companions, places, depth + 1, isAsked);
      return andThen(rewriteFrom(undefined, NOTHING, places, depth + 1, isAsked), () => value);
    }
    case 'last': {
      const { length } = isArray(companions[0]) ? companions[0] : [];
      // Nothing is declared of it but who may change it.
      return places.keeps && isArray(value) && length > 0
        ? rewriteItem(value, length - 1, companions, places, depth + 1, false)
        : value;
    }
    default:
      return value;
  }
}

function rewriteMember(
  object: ObjectValue | undefined,
  name: string,
  companions: ValueVersions,
  places: PathRewrite,
  depth: number,
  isAsked: boolean,
): PromiseOrValue<Value> {
  const member = object?.[name];
  const below: ValueVersions = [memberOf(companions[0], name), memberOf(companions[1], name)];
  return andThen(rewriteFrom(member, below, places, depth, isAsked), (fresh) =>
    fresh === member ? object : withField(object, name, fresh),
  );
}

function memberOf(value: Value, name: string): Value {
  return isObject(value) ? value[name] : undefined;
}

function rewriteMembers(
  object: ObjectValue,
  companions: ValueVersions,
  places: PathRewrite,
  depth: number,
  isAsked: boolean,
): PromiseOrValue<Value> {
  const [before] = companions;
  const names = Object.keys(object);
  const gone = places.keeps && isObject(before) ? Object.keys(before).filter((name) => object[name] === undefined) : [];
  return [...names, ...gone].reduce<PromiseOrValue<Value>>(
    (changed, name, at) =>
      andThen(changed, (so) =>
        rewriteMember(so as ObjectValue, name, companions, places, depth, isAsked && at < names.length),
      ),
    object,
  );
}

function rewriteItems(
  items: ArrayValue,
  companions: ValueVersions,
  places: PathRewrite,
  depth: number,
  isAsked: boolean,
): PromiseOrValue<Value> {
  const rewrite = (value: Value, origin: number, asked: boolean) =>
    rewriteFrom(
      value,
      [elementOf(companions[0], origin, places), elementOf(companions[1], origin, places)],
      places,
      depth,
      asked,
    );
  if (!places.keeps && !places.origins.isMoved(items)) {
    let origin = 0;
    const rewritten = mapItems(items, places.execution.interrupt, (value) => rewrite(value, origin++, isAsked));
    return andThen(rewritten, (fresh) => {
      if (fresh.every((value, at) => value === items[at])) return items;
      const placed = fresh.map((value, origin) => ({ value, origin }));
      return places.origins.inPlace(
        placed.filter(({ value, origin }) => value !== undefined || items[origin] === undefined),
      );
    });
  }
  const [before] = companions;
  const from = places.origins.of(items);
  const met: (NumberedElement<Value> & { readonly isThere: boolean })[] = items.map((value, at) => ({
    value,
    origin: from[at] as number,
    isThere: true,
  }));
  if (places.keeps && isArray(before)) {
    const there = new Set(from);
    before.forEach((_, origin) => {
      if (!there.has(origin)) met.push({ value: undefined, origin, isThere: false });
    });
  }
  const rewritten = mapItems(met, places.execution.interrupt, ({ value, origin, isThere }) =>
    rewrite(value, origin, isAsked && isThere),
  );
  return andThen(rewritten, (fresh) => {
    if (fresh.every((value, at) => value === met[at]?.value)) return items;
    const placed = met.map(({ origin }, at) => ({ origin, value: fresh[at] }));
    // NONE may be an element, too.
    return places.origins.inPlace(
      placed.filter(({ value }, at) => value !== undefined || (met[at]?.isThere && items[at] === undefined)),
    );
  });
}

function elementOf(value: Value, origin: number, { origins }: PathRewrite): Value {
  return isArray(value) ? origins.itemFrom(value, origin) : undefined;
}

/**
 * An element by its number. Where it stays though the array has become shorter, those before it stay, too, as far as
 * they are missing.
 */
function rewriteItem(
  items: ArrayValue,
  origin: number,
  [before, draft]: ValueVersions,
  places: PathRewrite,
  depth: number,
  isAsked: boolean,
): PromiseOrValue<Value> {
  const from = places.origins.of(items);
  const at = from.indexOf(origin);
  const old = isArray(before) ? before[origin] : undefined;
  if (at === -1 && !(places.keeps && old !== undefined)) return items;
  const below: ValueVersions = [old, elementOf(draft, origin, places)];
  return andThen(rewriteFrom(items[at], below, places, depth, isAsked && at !== -1), (fresh) => {
    if (fresh === items[at]) return items;
    const placed: NumberedElement<Value>[] = items.map((value, index) => ({ value, origin: from[index] as number }));
    if (at !== -1) placed[at] = { value: fresh, origin };
    else placed.push({ value: fresh, origin });
    if (isArray(before)) {
      const there = new Set(from);
      for (let missing = 0; missing < origin; missing++) {
        if (!there.has(missing)) placed.push({ value: before[missing], origin: missing });
      }
    }
    return places.origins.inPlace(placed);
  });
}

/**
 * Types of the elements of a set are checked with the set; here only additions and removals are.
 */
function rewriteSet(
  set: SetValue,
  [before, draft]: ValueVersions,
  places: PathRewrite,
  depth: number,
): PromiseOrValue<Value> {
  if (!places.keeps) return set;
  const old = before instanceof SetValue ? before.items : [];
  const input = draft instanceof SetValue ? draft.items : [];
  const added = new Set(missingFrom(set.items, old));
  const unmeant = new Set(missingFrom(set.items, input));
  const gone = missingFrom(old, set.items);
  const kept = mapItems(set.items, places.execution.interrupt, (item) =>
    added.has(item) ? rewriteFrom(item, [undefined, unmeant.has(item) ? undefined : item], places, depth, false) : item,
  );
  const back = mapInOrder(gone, (item) => rewriteFrom(undefined, [item, undefined], places, depth, false));
  return andThen(kept, (present) =>
    andThen(back, (returned) => {
      const all = [...present, ...returned].filter((item) => item !== undefined);
      const isSame =
        returned.every((item) => item === undefined) && present.every((item, at) => item === set.items[at]);
      return isSame ? set : setFrom(all);
    }),
  );
}
