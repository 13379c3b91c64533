/** What the parts of a path compile to, and how a part meets values that stand for others. */
import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import {
  type ArrayValue,
  isArray,
  isObject,
  type ObjectValue,
  Range,
  RecordId,
  SetValue,
  type Value,
} from '../../value/value.js';
import type { Frame } from '../execution.js';

/** A part of a path together with all that come after it. */
export type Step = (value: Value, frame: Frame) => PromiseOrValue<Value>;

/** The end of a path. */
export const END: Step = (value) => value;

/** The record behind a link, as the principal may see it; NONE when it's missing, hidden, or a range. */
export function fetchRecord(id: RecordId, frame: Frame): PromiseOrValue<ObjectValue | undefined> {
  return id.key instanceof Range ? undefined : frame.execution.reader.read(frame.execution, id);
}

/**
 * Whether a field of a link is one of its key (`id.tenant` of `doc:{tenant: 'a'}`) rather than of the record. The key goes first, since it
 * can't be written to: rules that look at it can't be deceived by a field of that name in the record.
 */
export function isKeyField({ key }: RecordId, name: string): boolean {
  return isObject(key) && key[name] !== undefined;
}

/**
 * Takes `step` into a value that isn't an object: to each element of an array or set, to the record behind a link. What has no parts
 * gives `otherwise` (NONE for most parts) to the rest of the path.
 */
export function stepInto(value: Value, frame: Frame, step: Step, next: Step): PromiseOrValue<Value> {
  if (isArray(value)) return mapStep(value, frame, step);
  if (value instanceof SetValue) return mapStep(value.items, frame, step);
  if (value instanceof RecordId) {
    return andThen(fetchRecord(value, frame), (record) =>
      record === undefined ? next(undefined, frame) : step(record, frame),
    );
  }
  return next(undefined, frame);
}

/** Paths map into arrays, also nested ones, and never flatten them. */
export function mapStep(items: ArrayValue, frame: Frame, step: Step): PromiseOrValue<Value[]> {
  frame.unfold(items.length);
  return mapInOrder(items, (item) => step(item, frame));
}
