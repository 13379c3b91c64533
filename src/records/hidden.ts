/**
 * Preserves data hidden from the writer. A statement works on the visible data; then hidden data is
 * put back: elements of lists and sets always, since a statement can't name them, and
 * fields where nothing was written in their place.
 */
import { equals, missingFrom, setFrom } from '../value/order.js';
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
import { childrenNamed, elementMasks, type Mask } from './mask.js';

/**
 * Puts back hidden fields: `changed` was made of `seen`, which is `stored` without them. Elements of lists are known by
 * their number where there are as many as before, otherwise by being equal.
 */
export function restoreFields(changed: Value, seen: Value, stored: Value): Value {
  if (changed === seen || seen === stored) return seen === stored ? changed : stored;
  if (isObject(changed) && isObject(seen) && isObject(stored)) {
    let result: Value = changed;
    for (const name of Object.keys(stored)) {
      const visible = seen[name];
      if (visible === stored[name]) continue;
      if (visible === undefined) {
        if (changed[name] === undefined) result = withField(result, name, stored[name]);
      } else if (changed[name] !== undefined) {
        result = withField(result, name, restoreFields(changed[name], visible, stored[name]));
      }
    }
    return result;
  }
  if (isArray(changed) && isArray(seen) && isArray(stored)) return restoreFieldsOfItems(changed, seen, stored);
  return changed;
}

function restoreFieldsOfItems(changed: ArrayValue, seen: ArrayValue, stored: ArrayValue): ArrayValue {
  let from = 0;
  return changed.map((item, index) => {
    const same =
      changed.length === seen.length ? index : seen.findIndex((each, at) => at >= from && equals(each, item));
    if (same === -1) return item;
    from = same + 1;
    return restoreFields(item, seen[same], stored[same]);
  });
}

/**
 * Puts back hidden elements: `changed` was made of `seen`, which is what `maskElements` left of `stored`. They stay at
 * their indexes, as far as there are enough others. A list or set that may hold some is emptied rather than removed or
 * replaced, whether it holds any or not, so that the result doesn't reveal it.
 */
export function restoreElements(
  mask: Mask,
  changed: ObjectValue,
  seen: ObjectValue,
  stored: ObjectValue,
  origins: ElementNumbers,
): ObjectValue {
  return mask.guardsElements ? (elementsBelow(changed, seen, stored, [mask], origins) as ObjectValue) : changed;
}

function elementsBelow(
  changed: Value,
  seen: Value,
  stored: Value,
  masks: readonly Mask[],
  origins: ElementNumbers,
): Value {
  if (!masks.some(({ guardsElements }) => guardsElements)) return changed;
  if (isArray(stored) && isArray(seen)) return itemsRestored(changed, seen, stored, masks, origins);
  if (stored instanceof SetValue && seen instanceof SetValue) {
    const kept = changed instanceof SetValue ? changed : setFrom([]);
    const hidden = missingFrom(stored.items, seen.items);
    return hidden.length === 0 ? kept : setFrom([...kept.items, ...hidden]);
  }
  if (!isObject(stored) || !isObject(seen)) return changed;
  let result: Value = isObject(changed) ? changed : newObject();
  let isHeld = isObject(changed);
  for (const name of Object.keys(stored)) {
    const below = masks.flatMap((mask) => childrenNamed(mask, name));
    const member = isObject(changed) ? changed[name] : undefined;
    const restored = elementsBelow(member, seen[name], stored[name], below, origins);
    if (restored === member) continue;
    result = withField(result, name, restored);
    isHeld = true;
  }
  return isHeld ? result : changed;
}

function itemsRestored(
  changed: Value,
  seen: ArrayValue,
  stored: ArrayValue,
  masks: readonly Mask[],
  origins: ElementNumbers,
): Value {
  if (!mayHideItems(masks, stored)) return changed;
  const kept = origins.of(seen);
  const given = isArray(changed) ? changed : changed instanceof SetValue ? changed.items : [];
  const list = long(given, seen, masks);
  const items = list.map((item, index) =>
    index < seen.length
      ? elementsBelow(
          item,
          seen[index],
          stored[kept[index] as number],
          elementMasks(masks, kept[index] as number, stored.length),
          origins,
        )
      : item,
  );
  const isSame = isArray(changed) && list === changed && items.every((item, index) => item === list[index]);
  if (kept.length === stored.length) return isSame ? changed : items;
  const hidden = new Set(stored.keys());
  for (const index of kept) hidden.delete(index);
  const last = masks.some(({ at }) => at.has(-1)) && hidden.delete(stored.length - 1) ? stored.at(-1) : undefined;
  const placed: NumberedElement<Value>[] = Array.from(hidden, (origin) => ({ origin, value: stored[origin] }));
  let origin = 0;
  for (const value of items) {
    while (hidden.has(origin)) origin++;
    placed.push({ origin: origin++, value });
  }
  // An element that is hidden by being the last stays the last.
  if (last !== undefined) placed.push({ origin: Math.max(origin, stored.length - 1), value: last });
  return origins.inPlace(placed);
}

/** Whether elements of this list may be hidden, or some below them; members of an object are another matter. */
function mayHideItems(masks: readonly Mask[], stored: ArrayValue): boolean {
  return masks.some(
    ({ each, at, guardsElements }) =>
      (each?.rules.length ?? 0) > 0 ||
      at.size > 0 ||
      (guardsElements && stored.some((item) => typeof item === 'object')),
  );
}

/**
 * A list doesn't become so short that an element which is hidden by its number would get another: those before it stay.
 */
function long(list: ArrayValue, seen: ArrayValue, masks: readonly Mask[]): ArrayValue {
  let least = 0;
  for (const { at } of masks) {
    for (const [number, { rules }] of at) if (rules.length > 0) least = Math.max(least, number);
  }
  least = Math.min(least, seen.length);
  return list.length < least ? [...list, ...seen.slice(list.length, least)] : list;
}

/**
 * Leaves objects in place of those that may hold hidden fields which can't be removed, and have been removed or
 * replaced, so that the result doesn't reveal whether they held any.
 */
export function keepEmptied(
  mask: Mask,
  changed: ObjectValue,
  stored: ObjectValue,
  origins: ElementNumbers,
): ObjectValue {
  return mask.guardsFixed ? (emptiedBelow(changed, stored, [mask], origins) as ObjectValue) : changed;
}

function emptiedBelow(changed: Value, stored: Value, masks: readonly Mask[], origins: ElementNumbers): Value {
  if (!masks.some(({ guardsFixed }) => guardsFixed)) return changed;
  if (isArray(stored)) return emptiedItems(changed, stored, masks, origins);
  if (!isObject(stored)) return changed;
  let result: Value = isObject(changed) ? changed : masks.some(hasFixedMembers) ? newObject() : undefined;
  for (const name of Object.keys(stored)) {
    const below = masks.flatMap((mask) => childrenNamed(mask, name));
    const member = isObject(result) ? result[name] : undefined;
    const emptied = emptiedBelow(member, stored[name], below, origins);
    if (emptied !== member) result = withField(result, name, emptied);
  }
  return result ?? changed;
}

function hasFixedMembers({ fields, each }: Mask): boolean {
  return each?.isFixed === true || [...fields.values()].some(({ isFixed }) => isFixed);
}

function emptiedItems(changed: Value, stored: ArrayValue, masks: readonly Mask[], origins: ElementNumbers): Value {
  const items = isArray(changed) ? changed : [];
  const places = origins.of(items);
  const values = new Map(items.map((value, index) => [places[index] as number, value]));
  let isSame = true;
  stored.forEach((old, origin) => {
    const value = values.get(origin);
    const emptied = emptiedBelow(value, old, elementMasks(masks, origin, stored.length), origins);
    if (emptied === value) return;
    values.set(origin, emptied);
    isSame = false;
  });
  return isSame ? changed : origins.inPlace(Array.from(values, ([origin, value]) => ({ origin, value })));
}
