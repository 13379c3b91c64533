/** Fields of objects and of values that convert to objects, `.*` and `.?`. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { Evaluate } from '../../runtime/frame.js';
import { geometryToObject } from '../../value/geometry.js';
import { Geometry, isArray, isObject, type ObjectValue, RecordId, type Value } from '../../value/value.js';
import { fieldReader } from './field-reader.js';
import { END, fetchRecord, isKeyField, mapStep, type PartStep, type Path, type Step, stepInto } from './step.js';

export function fieldStep(name: string): PartStep {
  const step: Step = (value, frame) => {
    if (isObject(value)) return value[name];
    if (value instanceof Geometry) return geometryToObject(value)[name];
    if (value instanceof RecordId && isKeyField(value, name, frame)) return (value.key as ObjectValue)[name];
    return stepInto(value, frame, step);
  };
  return { apply: step, element: step };
}

/** A path that begins with a field of the current document: the most frequent expression of all. */
export function compileDocumentField(name: string, rest: Path, path: Path): Evaluate {
  const next = rest.whole;
  const field = fieldReader(name);
  if (next === END) {
    return (frame) => {
      const document = frame.current;
      return isObject(document) ? field.read(document) : path.whole(document, frame);
    };
  }
  return (frame) => {
    const document = frame.current;
    return isObject(document) ? next(field.read(document), frame) : path.whole(document, frame);
  };
}

/** A link becomes its record; other values stay. */
const resolved: Step = (value, frame) => (value instanceof RecordId ? fetchRecord(value, frame) : value);

const resolvedWithin: Step = (value, frame) =>
  isArray(value) ? mapStep(value, frame, resolvedWithin) : resolved(value, frame);

/**
 * `.*` leaves objects as they are; links become their records, alone or as elements. What has no parts is the only one
 * of its own.
 */
export const ALL: PartStep = {
  apply: (value, frame): PromiseOrValue<Value> => {
    // Where one element is a link, those in arrays between them are followed too.
    if (isArray(value)) return value.some(isLink) ? mapStep(value, frame, resolvedWithin) : value;
    return isObject(value) || isLink(value) ? resolved(value, frame) : [value];
  },
  element: resolved,
};

/** `…`: flattens the arrays in an array. Other values stay. */
export const FLATTEN: PartStep = {
  apply: (value, frame) => {
    if (!isArray(value) || !value.some(isArray)) return value;
    const items: Value[] = [];
    for (const item of value) {
      if (!isArray(item)) items.push(item);
      else {
        frame.unfold(item.length);
        for (const inner of item) items.push(inner);
      }
    }
    return items;
  },
};

function isLink(value: Value): boolean {
  return value instanceof RecordId;
}

/** `.?` ends the path at a missing value. */
export function optionalField({ whole, each }: Path): Path {
  return { whole: unlessNothing(whole), each: unlessNothing(each) };
}

function unlessNothing(next: Step): Step {
  return (value, frame) => (value === undefined || value === null ? value : next(value, frame));
}
