/**
 * What field permissions leave of a record.
 *
 * The paths of all guarded fields make one tree, walked once for each record: every rule judges the record as it is stored, whatever the
 * others have taken away by then, so that taking one element out of a list never moves another into or out of a rule's reach.
 */
import { andThen, forEachInOrder, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Part } from '../../language/ast.js';
import { equals, setFrom } from '../../value/order.js';
import { withField } from '../../value/paths.js';
import {
  type ArrayValue,
  Geometry,
  isArray,
  isObject,
  newObject,
  type ObjectValue,
  SetValue,
  type Value,
} from '../../value/value.js';
import type { Rule } from '../permission.js';

/** A guarded place, and what is guarded below it. */
export interface Mask {
  readonly rules: readonly Rule[];
  readonly fields: ReadonlyMap<string, Mask>;
  /** `*`: the elements of a list, or all members of an object. */
  readonly each: Mask | undefined;
  /** Elements by their number; the last is -1. */
  readonly at: ReadonlyMap<number, Mask>;
  /** At the top of a record: the only fields that aren't hidden without a rule. */
  readonly only: ReadonlySet<string> | undefined;
  /** Whether nobody whom rules apply to sees anything here. */
  readonly isShut: boolean;
  /** `fields` as a list, each with its mask alone in one, when there is nothing but fields to look at. */
  readonly members: readonly Member[] | undefined;
}

interface Member {
  readonly name: string;
  readonly masks: readonly [Mask];
}

export interface GuardedPath {
  readonly parts: readonly Part[];
  readonly rule: Rule;
}

class MaskBuilder implements Mask {
  readonly rules: Rule[] = [];
  readonly fields = new Map<string, MaskBuilder>();
  readonly at = new Map<number, MaskBuilder>();
  each: MaskBuilder | undefined;
  only: ReadonlySet<string> | undefined;
  isShut = false;
  members: readonly Member[] | undefined;

  add(rule: Rule): void {
    this.rules.push(rule);
    if (rule.kind === 'none') this.isShut = true;
  }

  /** To be called when nothing more is added. */
  finish(): void {
    if (this.each === undefined && this.only === undefined) {
      this.members = Array.from(this.fields, ([name, mask]) => ({ name, masks: [mask] }));
    }
    for (const mask of this.fields.values()) mask.finish();
    for (const mask of this.at.values()) mask.finish();
    this.each?.finish();
  }

  below(part: Part): MaskBuilder {
    if (part.kind === 'field') return childOf(this.fields, part.name);
    if (part.kind === 'last') return childOf(this.at, -1);
    if (part.kind === 'index' && part.index.kind === 'literal') return childOf(this.at, Number(part.index.value));
    this.each ??= new MaskBuilder();
    return this.each;
  }
}

function childOf<K>(children: Map<K, MaskBuilder>, key: K): MaskBuilder {
  let child = children.get(key);
  if (child === undefined) {
    child = new MaskBuilder();
    children.set(key, child);
  }
  return child;
}

/** The mask of guarded paths; `undefined` when nothing is guarded. With `only`, fields at the top with other names are hidden. */
export function buildMask(guarded: readonly GuardedPath[], only: ReadonlySet<string> | undefined): Mask | undefined {
  if (guarded.length === 0 && only === undefined) return undefined;
  const root = new MaskBuilder();
  root.only = only;
  for (const { parts, rule } of guarded) {
    parts.reduce<MaskBuilder>((mask, part) => mask.below(part), root).add(rule);
  }
  root.finish();
  return root;
}

/** Whether a mask may change what is found at a path: something above it, at it or below it is guarded. */
export function mayHide(mask: Mask, parts: readonly Part[]): boolean {
  const [first] = parts;
  if (mask.only !== undefined && (first?.kind !== 'field' || !mask.only.has(first.name))) return true;
  let masks: readonly Mask[] = [mask];
  for (const part of parts) {
    if (part.kind !== 'field') return masks.some((each) => each !== mask);
    // A list on the way is walked through, so that a rule on its elements counts as well.
    masks = masks.flatMap((each) => childrenNamed(each, part.name).flatMap(withElements));
    if (masks.some(({ rules }) => rules.length > 0)) return true;
  }
  return masks.length > 0;
}

function withElements(mask: Mask): Mask[] {
  return [mask, ...(mask.each === undefined ? [] : [mask.each]), ...mask.at.values()];
}

function childrenNamed({ fields, each }: Mask, name: string): Mask[] {
  const named = fields.get(name);
  return [...(named === undefined ? [] : [named]), ...(each === undefined ? [] : [each])];
}

/** Judges one place. */
export type Judge = (rule: Rule, value: Value) => PromiseOrValue<boolean>;

/** The record without the places that a rule refuses; the record itself when nothing is hidden. */
export function applyMask(mask: Mask, record: ObjectValue, judge: Judge): PromiseOrValue<ObjectValue> {
  return maskBelow(record, [mask], judge) as PromiseOrValue<ObjectValue>;
}

/** NONE when the place is hidden. */
function maskAt(value: Value, masks: readonly Mask[], judge: Judge): PromiseOrValue<Value> {
  if (value === undefined || masks.length === 0) return value;
  if (masks.some(({ isShut }) => isShut)) return undefined;
  let hidden = false;
  const judged = forEachInOrder(masks, ({ rules }) =>
    andThen(
      forEachInOrder(rules, (rule) =>
        andThen(judge(rule, value), (allowed) => {
          hidden = !allowed;
          return hidden;
        }),
      ),
      () => hidden,
    ),
  );
  return andThen(judged, () => (hidden ? undefined : maskBelow(value, masks, judge)));
}

function maskBelow(value: Value, masks: readonly Mask[], judge: Judge): PromiseOrValue<Value> {
  if (isObject(value)) return maskMembers(value, masks, judge);
  if (isArray(value)) return maskItems(value, masks, judge);
  if (value instanceof SetValue) {
    return andThen(maskItems(value.items, masks, judge), (items) => (items === value.items ? value : setFrom(items)));
  }
  // The parts of a geometry can't be taken out of it.
  if (value instanceof Geometry && masks.some(({ fields, each }) => fields.size > 0 || each)) return undefined;
  return value;
}

function maskMembers(object: ObjectValue, masks: readonly Mask[], judge: Judge): PromiseOrValue<Value> {
  const members = (masks.length === 1 && masks[0]?.members) || membersOf(object, masks);
  const masked = mapInOrder(members, ({ name, masks: below }) => maskAt(object[name], below, judge));
  return andThen(masked, (fresh) => {
    let isWhole = true;
    for (let at = 0; at < fresh.length && isWhole; at++) isWhole = fresh[at] === object[members[at]?.name as string];
    return isWhole ? object : withMembers(object, members, fresh);
  });
}

/** What applies to each member of an object. */
function membersOf(object: ObjectValue, masks: readonly Mask[]): { name: string; masks: readonly Mask[] }[] {
  return Object.keys(object).map((name) => {
    const isHidden = masks.some(({ only }) => only !== undefined && !only.has(name));
    return { name, masks: isHidden ? [SHUT] : masks.flatMap((mask) => childrenNamed(mask, name)) };
  });
}

/** A copy of an object with other values in some of its members; NONE leaves them out. */
function withMembers(object: ObjectValue, members: readonly { name: string }[], values: readonly Value[]): ObjectValue {
  const copy = newObject();
  for (const name in object) {
    const at = members.findIndex((member) => member.name === name);
    const value = at === -1 ? object[name] : values[at];
    if (at === -1 || value !== undefined) copy[name] = value;
  }
  return copy;
}

function maskItems(items: ArrayValue, masks: readonly Mask[], judge: Judge): PromiseOrValue<ArrayValue> {
  const masked = mapInOrder(items, (item, index) => maskAt(item, elementMasks(masks, index, items.length), judge));
  return andThen(masked, (fresh) => {
    if (fresh.every((item, index) => item === items[index])) return items;
    const kept: number[] = [];
    fresh.forEach((item, index) => {
      if (item !== undefined || items[index] === undefined) kept.push(index);
    });
    const visible = kept.map((index) => fresh[index]);
    if (kept.length < items.length) positions.set(visible, kept);
    return visible;
  });
}

/** What applies to an element: rules on it, and, as a path goes through a list, those on fields of the list. */
function elementMasks(masks: readonly Mask[], index: number, length: number): Mask[] {
  const found: Mask[] = [];
  for (const mask of masks) {
    if (mask.each !== undefined) found.push(mask.each);
    const at = mask.at.get(index);
    if (at !== undefined) found.push(at);
    const last = index === length - 1 ? mask.at.get(-1) : undefined;
    if (last !== undefined) found.push(last);
    if (mask.fields.size > 0) found.push({ ...NOTHING, fields: mask.fields, members: mask.members });
  }
  return found;
}

const NOTHING: Mask = {
  rules: [],
  fields: new Map(),
  each: undefined,
  at: new Map(),
  only: undefined,
  isShut: false,
  members: undefined,
};
const SHUT: Mask = { ...NOTHING, isShut: true };

/** Which elements of the stored list are left in a list that some were taken out of. */
const positions = new WeakMap<ArrayValue, readonly number[]>();

/**
 * Puts back what a mask had taken away, after the rest was changed: `changed` was made of `seen`, which is what the mask left of `stored`.
 * Hidden fields come back where nothing was written in their place, hidden elements where they were.
 */
export function restoreHidden(changed: Value, seen: Value, stored: Value): Value {
  if (changed === seen || seen === stored) return seen === stored ? changed : stored;
  if (isObject(changed) && isObject(seen) && isObject(stored)) {
    let result: Value = changed;
    for (const name of Object.keys(stored)) {
      const visible = seen[name];
      if (visible === stored[name]) continue;
      if (visible === undefined) {
        if (changed[name] === undefined) result = withField(result, name, stored[name]);
      } else if (changed[name] !== undefined) {
        result = withField(result, name, restoreHidden(changed[name], visible, stored[name]));
      }
    }
    return result;
  }
  if (isArray(changed) && isArray(seen) && isArray(stored)) return restoreItems(changed, seen, stored);
  if (changed instanceof SetValue && seen instanceof SetValue && stored instanceof SetValue) {
    const hidden = stored.items.filter((item) => !seen.items.some((each) => equals(each, item)));
    return setFrom([...changed.items, ...hidden]);
  }
  return changed;
}

function restoreItems(changed: ArrayValue, seen: ArrayValue, stored: ArrayValue): ArrayValue {
  const kept = positions.get(seen) ?? stored.map((_, index) => index);
  const isVisible = new Set(kept);
  const result: Value[] = [];
  let next = 0;
  const hiddenBefore = (end: number): void => {
    for (; next < end; next++) if (!isVisible.has(next)) result.push(stored[next]);
  };
  let from = 0;
  changed.forEach((item, index) => {
    // An element of a list as long as before is the one in its place, changed or not; otherwise it is known by being equal.
    const same =
      changed.length === seen.length ? index : seen.findIndex((each, at) => at >= from && equals(each, item));
    if (same === -1) {
      result.push(item);
      return;
    }
    from = same + 1;
    const at = kept[same] as number;
    hiddenBefore(at);
    next = Math.max(next, at + 1);
    result.push(restoreHidden(item, seen[same], stored[at]));
  });
  hiddenBefore(stored.length);
  return result;
}
