/**
 * Applies field permissions to a record.
 *
 * The paths of all guarded fields form one tree, walked once for each record: every clause is evaluated on the record
 * as stored, whatever the others have hidden by then, so that hiding one element of a list never moves another into or
 * out of a clause's reach.
 */
import { andThen, forEachInOrder, mapInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Part } from '../language/ast.js';
import type { Rule } from '../runtime/authorization/permission.js';
import { setFrom } from '../value/order.js';
import {
  type ArrayValue,
  Geometry,
  isArray,
  isObject,
  newObject,
  type ObjectValue,
  SetValue,
  type Value,
} from '../value/value.js';
import type { ElementNumbers } from './element-numbers.js';

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
  /** Whether everything here is hidden from all principals whom rules apply to. */
  readonly isShut: boolean;
  /** Whether rules restrict changes here as well. */
  readonly isFixed: boolean;
  /** Whether elements of a list may be hidden, here or below. */
  readonly guardsElements: boolean;
  /** Whether fields may be hidden below that may not be removed. */
  readonly guardsFixed: boolean;
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
  /** Whether another rule says who may change it. */
  readonly isFixed: boolean;
}

class MaskBuilder implements Mask {
  readonly rules: Rule[] = [];
  readonly fields = new Map<string, MaskBuilder>();
  readonly at = new Map<number, MaskBuilder>();
  each: MaskBuilder | undefined;
  only: ReadonlySet<string> | undefined;
  isShut = false;
  isFixed = false;
  guardsElements = false;
  guardsFixed = false;
  members: readonly Member[] | undefined;

  add({ rule, isFixed }: GuardedPath): void {
    this.rules.push(rule);
    if (rule.kind === 'none') this.isShut = true;
    if (isFixed) this.isFixed = true;
  }

  /** Call when all paths are added. */
  finish(): void {
    if (this.each === undefined && this.only === undefined) {
      this.members = Array.from(this.fields, ([name, mask]) => ({ name, masks: [mask] }));
    }
    const elements = [...(this.each === undefined ? [] : [this.each]), ...this.at.values()];
    const all = [...this.fields.values(), ...elements];
    for (const mask of all) mask.finish();
    this.guardsElements =
      elements.some(({ rules }) => rules.length > 0) || all.some(({ guardsElements }) => guardsElements);
    this.guardsFixed = all.some(({ isFixed, guardsFixed }) => isFixed || guardsFixed);
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

/**
 * The mask of guarded paths; `undefined` when nothing is guarded. With `only`, fields at the top with other names are
 * hidden.
 */
export function buildMask(guarded: readonly GuardedPath[], only: ReadonlySet<string> | undefined): Mask | undefined {
  if (guarded.length === 0 && only === undefined) return undefined;
  const root = new MaskBuilder();
  root.only = only;
  for (const path of guarded) path.parts.reduce<MaskBuilder>((mask, part) => mask.below(part), root).add(path);
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

/** A mask and those of its elements: `tags`, `tags.*`, `tags[0]`. */
export function withElements(mask: Mask): Mask[] {
  return [mask, ...(mask.each === undefined ? [] : [mask.each]), ...mask.at.values()];
}

/** The masks that apply to a member of this name: its own, and that of all members. */
export function childrenNamed({ fields, each }: Mask, name: string): Mask[] {
  const named = fields.get(name);
  return [...(named === undefined ? [] : [named]), ...(each === undefined ? [] : [each])];
}

/** Evaluates the clauses of one place. */
export type MaskJudge = (rule: Rule, value: Value) => PromiseOrValue<boolean>;

/** The record without hidden places; the record itself if nothing is hidden. */
export function applyMask(mask: Mask, record: ObjectValue, judge: MaskJudge): PromiseOrValue<ObjectValue> {
  return maskBelow(record, [mask], { judge, what: 'all' }) as PromiseOrValue<ObjectValue>;
}

/**
 * The record without the elements of lists and sets that a rule refuses; fields stay. `origins` gets the elements that
 * are left.
 */
export function maskElements(
  mask: Mask,
  record: ObjectValue,
  judge: MaskJudge,
  origins: ElementNumbers,
): PromiseOrValue<ObjectValue> {
  if (!mask.guardsElements) return record;
  return maskBelow(record, [mask], { judge, what: 'elements', origins }) as PromiseOrValue<ObjectValue>;
}

/** How a record is masked: all of it, or the elements of its lists alone. */
interface Masking {
  readonly judge: MaskJudge;
  readonly what: 'all' | 'elements';
  readonly origins?: ElementNumbers;
}

/** NONE when the place is hidden. */
function maskAt(value: Value, masks: readonly Mask[], masking: Masking): PromiseOrValue<Value> {
  if (value === undefined || masks.length === 0) return value;
  if (masks.some(({ isShut }) => isShut)) return undefined;
  let hidden = false;
  const judged = forEachInOrder(masks, ({ rules }) =>
    andThen(
      forEachInOrder(rules, (rule) =>
        andThen(masking.judge(rule, value), (allowed) => {
          hidden = !allowed;
          return hidden;
        }),
      ),
      () => hidden,
    ),
  );
  return andThen(judged, () => (hidden ? undefined : maskBelow(value, masks, masking)));
}

function maskBelow(value: Value, masks: readonly Mask[], masking: Masking): PromiseOrValue<Value> {
  if (isObject(value)) return maskMembers(value, masks, masking);
  if (isArray(value)) return maskItems(value, masks, masking);
  if (value instanceof SetValue) {
    return andThen(maskItems(value.items, masks, masking), (items) => (items === value.items ? value : setFrom(items)));
  }
  // The parts of a geometry can't be taken out of it.
  if (value instanceof Geometry && masks.some(({ fields, each }) => fields.size > 0 || each)) {
    return masking.what === 'all' ? undefined : value;
  }
  return value;
}

function maskMembers(object: ObjectValue, masks: readonly Mask[], masking: Masking): PromiseOrValue<Value> {
  const members = (masks.length === 1 && masks[0]?.members) || membersOf(object, masks);
  const mask = masking.what === 'all' ? maskAt : maskBelow;
  const masked = mapInOrder(members, ({ name, masks: below }) => mask(object[name], below, masking));
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

function maskItems(items: ArrayValue, masks: readonly Mask[], masking: Masking): PromiseOrValue<ArrayValue> {
  const masked = mapInOrder(items, (item, index) => maskAt(item, elementMasks(masks, index, items.length), masking));
  return andThen(masked, (fresh) => {
    if (fresh.every((item, index) => item === items[index])) return items;
    const kept: number[] = [];
    fresh.forEach((item, index) => {
      if (item !== undefined || items[index] === undefined) kept.push(index);
    });
    const visible = kept.map((index) => fresh[index]);
    if (kept.length < items.length) masking.origins?.note(visible, kept);
    return visible;
  });
}

/** What applies to an element: rules on it, and, as a path goes through a list, those on fields of the list. */
export function elementMasks(masks: readonly Mask[], index: number, length: number): Mask[] {
  const found: Mask[] = [];
  for (const mask of masks) {
    if (mask.each !== undefined) found.push(mask.each);
    const at = mask.at.get(index);
    if (at !== undefined) found.push(at);
    const last = index === length - 1 ? mask.at.get(-1) : undefined;
    if (last !== undefined) found.push(last);
    if (mask.fields.size > 0) found.push(throughList(mask));
  }
  return found;
}

/** What holds of the fields of an element, as a path goes through a list. */
function throughList({ fields, members }: Mask): Mask {
  const below = [...fields.values()];
  return {
    ...NOTHING,
    fields,
    members,
    guardsElements: below.some(({ guardsElements }) => guardsElements),
    guardsFixed: below.some(({ isFixed, guardsFixed }) => isFixed || guardsFixed),
  };
}

const NOTHING: Mask = {
  rules: [],
  fields: new Map(),
  each: undefined,
  at: new Map(),
  only: undefined,
  isShut: false,
  isFixed: false,
  guardsElements: false,
  guardsFixed: false,
  members: undefined,
};
const SHUT: Mask = { ...NOTHING, isShut: true };
