/** The compiled parts of a path, and their treatment of arrays and links. */
import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { FieldsRead } from '../../plan/fields-read.js';
import type { Frame } from '../../runtime/frame.js';
import {
  type ArrayValue,
  isArray,
  isObject,
  type ObjectValue,
  Range,
  RecordId,
  type Value,
} from '../../value/value.js';

/** Applies a path, or a part of one, to a value. */
export type Step = (value: Value, frame: Frame) => PromiseOrValue<Value>;

/** The end of a path. */
export const END: Step = (value) => value;

/** One part of a path by itself. */
export interface PartStep {
  /** Applies it to a whole value; it may descend into arrays, to any depth. */
  readonly apply: Step;
  /**
   * Applies it to an element of an array, from which the rest of the path continues. Parts that take arrays as a whole
   * have none.
   */
  readonly element?: Step;
}

/**
 * The rest of a path. The first part that descends into an array applies everything behind it to each element, and
 * from there on (`each`) arrays are taken as a whole: in `[{ a: [[1]] }].a[0]` the index is that of `[[1]]`.
 */
export interface Path {
  readonly whole: Step;
  readonly each: Step;
}

export const NO_PATH: Path = { whole: END, each: END };

/** A part with the rest of the path behind it. By default, the part itself handles arrays at the end of a path. */
export function joined({ apply, element }: PartStep, rest: Path, goesInto = rest !== NO_PATH): Path {
  if (!goesInto) return { whole: apply, each: apply };
  const each = then(apply, rest.each);
  const whole = then(apply, rest.whole);
  if (element === undefined) return { whole, each };
  const fromElement = then(element, rest.each);
  return { whole: (value, frame) => (isArray(value) ? mapStep(value, frame, fromElement) : whole(value, frame)), each };
}

function then(first: Step, second: Step): Step {
  return (value, frame) => {
    const reached = first(value, frame);
    return reached instanceof Promise ? reached.then((settled) => second(settled, frame)) : second(reached, frame);
  };
}

/** The record behind a link, as the principal may see it; NONE when it's missing, hidden, or a range. */
export function fetchRecord(
  id: RecordId,
  { execution }: Frame,
  fields?: FieldsRead,
): PromiseOrValue<ObjectValue | undefined> {
  return id.key instanceof Range ? undefined : execution.services.reader.read(execution, id, 'select', fields);
}

/**
 * Whether a field of a link is one of its key (`id.tenant` of `doc:{tenant: 'a'}`) rather than of the record, as it is
 * in PERMISSIONS: the key can't be written to, so that a field of that name in the record doesn't circumvent clauses
 * that read it.
 */
export function isKeyField({ key }: RecordId, name: string, { execution }: Frame): boolean {
  return execution.judging && isObject(key) && key[name] !== undefined;
}

/** Whether a value is a link to one record, whose key has no fields of its own. */
export function isPlainLink(value: Value): value is RecordId {
  return value instanceof RecordId && !isObject(value.key) && !(value.key instanceof Range);
}

/**
 * Takes `step` into a value that isn't an object: to each element of an array, to the record behind a link. What else
 * has no parts.
 */
export function stepInto(value: Value, frame: Frame, step: Step): PromiseOrValue<Value> {
  if (isArray(value)) {
    // A step that writes may change the record behind the next link.
    const isAhead = value.length > 1 && !frame.execution.writable && value.every(isPlainLink);
    return isAhead ? stepThrough(value, frame, step) : mapStep(value, frame, step);
  }
  if (value instanceof RecordId) {
    return andThen(fetchRecord(value, frame), (record) => (record === undefined ? undefined : step(record, frame)));
  }
  return undefined;
}

/** The same for the records behind links, which are read together. */
function stepThrough(links: readonly RecordId[], frame: Frame, step: Step): PromiseOrValue<Value[]> {
  frame.unfold(links.length);
  const stepped = andThen(frame.execution.services.reader.readMany(frame.execution, links), (records) =>
    mapInOrder(records, (record) => (record === undefined ? undefined : step(record, frame))),
  );
  return charged(frame, stepped);
}

function charged({ execution }: Frame, made: PromiseOrValue<Value[]>): PromiseOrValue<Value[]> {
  return andThen(made, (values) => {
    execution.request.memory.charged(values);
    return values;
  });
}

/** Paths map into arrays, also nested ones, and never flatten them. */
export function mapStep(items: ArrayValue, frame: Frame, step: Step): PromiseOrValue<Value[]> {
  frame.unfold(items.length);
  return charged(
    frame,
    mapInOrder(items, (item) => step(item, frame)),
  );
}
