/** `.{a, b.*, c: expression, d.{e}}`. */
import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DestructureField } from '../../language/ast.js';
import { isObject, newObject, type ObjectValue, type Value } from '../../value/value.js';
import type { Compiler, Frame } from '../execution.js';
import { pace } from '../pace.js';
import { frameAt } from './document-frame.js';
import { allStep, fieldStep, hasParts } from './field.js';
import { END, type Step, stepInto } from './step.js';

type Member = (object: ObjectValue, frame: Frame) => PromiseOrValue<Value>;

export function destructureStep(fields: readonly DestructureField[], next: Step, compiler: Compiler): Step {
  const names = fields.map((field) => field.name);
  const members = fields.map((field) => compileMember(field, compiler));
  const step: Step = (value, frame) => {
    if (!isObject(value)) return stepInto(value, frame, step, next);
    const values = andThen(pace(frame.execution), () => mapInOrder(members, (member) => member(value, frame)));
    return andThen(values, (all) => {
      const object = newObject();
      for (let index = 0; index < names.length; index++) object[names[index] as string] = all[index];
      return next(object, frame);
    });
  };
  return step;
}

function compileMember(field: DestructureField, compiler: Compiler): Member {
  const { name } = field;
  switch (field.kind) {
    case 'include':
      return (object) => object[name];
    case 'all': {
      const parts = allStep(END);
      return fieldStep(name, (value, frame) => (hasParts(value) ? parts(value, frame) : undefined));
    }
    case 'nested':
      return fieldStep(name, destructureStep(field.fields, END, compiler));
    case 'alias': {
      const evaluate = compiler.expression(field.value);
      return (object, frame) => evaluate(frameAt(frame, object));
    }
  }
}
