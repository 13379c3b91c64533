import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { geometryToObject } from '../../value/geometry.js';
import { Geometry, isArray, isObject, type ObjectValue, RecordId, type Value } from '../../value/value.js';
import type { Evaluate, Frame } from '../execution.js';
import { END, fetchRecord, isKeyField, mapStep, type Step, stepInto } from './step.js';

export function fieldStep(name: string, next: Step): Step {
  const step: Step = (value, frame) => {
    if (isObject(value)) return next(value[name], frame);
    if (value instanceof Geometry) return next(geometryToObject(value)[name], frame);
    if (value instanceof RecordId && isKeyField(value, name)) return next((value.key as ObjectValue)[name], frame);
    return stepInto(value, frame, step, next);
  };
  return step;
}

/** A path that begins with a field of the current document: the most frequent expression of all. */
export function compileDocumentField(name: string, next: Step): Evaluate {
  const step = fieldStep(name, next);
  if (next === END) {
    return (frame) => {
      const document = frame.current;
      return isObject(document) ? document[name] : step(document, frame);
    };
  }
  return (frame) => {
    const document = frame.current;
    return isObject(document) ? next(document[name], frame) : step(document, frame);
  };
}

/** `.*` leaves objects and plain values as they are; links become their records, alone or as elements. */
export function allStep(next: Step): Step {
  const element: Step = (value, frame) => {
    if (value instanceof RecordId) return resolve(value, frame, next);
    return isArray(value) ? mapStep(value, frame, element) : next(value, frame);
  };
  return (value, frame) => {
    if (next === END && isArray(value) && !value.some(mayHoldLinks)) return value;
    // What has no parts is the only one of its own.
    if (!hasParts(value)) {
      return andThen(next(value, frame), (only) => [only]);
    }
    return element(value, frame);
  };
}

/** Whether `.*` leads into a value. */
export function hasParts(value: Value): boolean {
  return isArray(value) || isObject(value) || value instanceof RecordId;
}

function mayHoldLinks(value: Value): boolean {
  return value instanceof RecordId || isArray(value);
}

function resolve(id: RecordId, frame: Frame, next: Step): PromiseOrValue<Value> {
  const record = fetchRecord(id, frame);
  return record instanceof Promise ? record.then((settled) => next(settled, frame)) : next(record, frame);
}

/** `.?` ends the path where there is nothing. */
export function optionalStep(next: Step): Step {
  return (value, frame) => (value === undefined || value === null ? value : next(value, frame));
}
