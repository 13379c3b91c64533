/** `.{a, b.*, c: expression, d.{e}}`. */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { CALL } from '../../base/work/work.js';
import type { DestructureField, Idiom } from '../../language/ast.js';
import type { Compiler, Frame } from '../../runtime/frame.js';
import {
  isArray,
  isObject,
  type MutableObject,
  newObject,
  type ObjectValue,
  RecordId,
  type Value,
} from '../../value/value.js';
import { frameAt } from './document-frame.js';
import { type PartStep, type Step, stepInto } from './step.js';

/** Writes the value of a field of a destructuring into the new object. */
type Member = (from: ObjectValue, into: MutableObject, frame: Frame) => PromiseOrValue<undefined>;

/** The step `.{ a, b: c.d }` of a path. */
export function destructureStep(fields: readonly DestructureField[], compiler: Compiler): PartStep {
  const members = fields.map((field) => compileMember(field, compiler));
  const step: Step = (value, frame) => {
    if (!isObject(value)) return stepInto(value, frame, step);
    const object = newObject();
    const filled = andThen(frame.execution.interrupt.checkpoint(CALL), () =>
      forEachInOrder(members, (member) => member(value, object, frame)),
    );
    return andThen(filled, () => object);
  };
  return { apply: step, element: step };
}

function compileMember(field: DestructureField, compiler: Compiler): Member {
  const { name } = field;
  switch (field.kind) {
    case 'include':
      return (from, into) => {
        into[name] = from[name];
        return undefined;
      };
    case 'all': {
      const path: Idiom = { kind: 'idiom', parts: [{ kind: 'field', name }, { kind: 'all' }] };
      const read = compiler.expression(path);
      const named = written(name, (from, frame) => read(frameAt(frame, from)));
      return (from, into, frame) => {
        const inner = from[name];
        // Links and lists give what the path gives; the fields of an object become fields of the new one.
        if (inner instanceof RecordId || isArray(inner)) return named(from, into, frame);
        if (isObject(inner)) for (const key of Object.keys(inner)) into[key] = inner[key];
        return undefined;
      };
    }
    case 'nested': {
      const destructure = destructureStep(field.fields, compiler).apply;
      return written(name, (from, frame) => destructure(from[name], frame));
    }
    case 'alias': {
      const evaluate = compiler.expression(field.value);
      return written(name, (from, frame) => evaluate(frameAt(frame, from)));
    }
  }
}

function written(name: string, read: (from: ObjectValue, frame: Frame) => PromiseOrValue<Value>): Member {
  return (from, into, frame) =>
    andThen(read(from, frame), (value) => {
      into[name] = value;
      return undefined;
    });
}
