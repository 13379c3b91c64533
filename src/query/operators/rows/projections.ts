/** The list after SELECT or RETURN: makes one object of each row, or one value with VALUE. */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../../base/promise-or-value.js';
import type { Expression, Projection, Projections } from '../../../language/ast.js';
import { isWhole, selectsFieldsOnly } from '../../../plan/projections.js';
import type { Compiler, Evaluate, Frame } from '../../../runtime/frame.js';
import { isArray, isObject, type MutableObject, newObject, type Value } from '../../../value/value.js';
import { namesOfCall, plainPath } from '../../expression/named-field.js';
import { fieldPath, projectionPath } from '../../expression/projection-name.js';
import { fieldNames } from './paths-named.js';

/** The naming of columns. */
type Naming = typeof projectionPath;

/** Compiles what SELECT or RETURN projects of a row. `naming` gives the path of each column in the result. */
export function compileProjections(
  projections: Projections,
  compiler: Compiler,
  naming: Naming = projectionPath,
): Evaluate {
  if (projections.kind === 'value') return compiler.expression(projections.expression);
  if (isWhole(projections)) return (frame) => frame.current;
  // The position of `*` doesn't matter: other projections overwrite its fields.
  const items = projections.items.toSorted((a, b) => Number(b.kind === 'all') - Number(a.kind === 'all'));
  const writers = items.map((item) => compileItem(item, compiler, naming));
  const plain = selectsFieldsOnly(projections);
  const fill = (frame: Frame, result: MutableObject, from: number): PromiseOrValue<Value> => {
    for (let at = from; at < writers.length; at++) {
      const written = (writers[at] as Writer)(frame, result);
      if (written instanceof Promise) return written.then(() => fill(frame, result, at + 1));
    }
    return result;
  };
  return (frame) => {
    // A row that isn't an object has no fields; where nothing but fields is asked for, it is passed through.
    if (plain && frame.current !== undefined && !isObject(frame.current)) return frame.current;
    return fill(frame, newObject(), 0);
  };
}

type Writer = (frame: Frame, result: MutableObject) => PromiseOrValue<undefined>;

function compileItem(item: Projection, compiler: Compiler, naming: Naming): Writer {
  if (item.kind === 'all') {
    return (frame, result) => {
      if (isObject(frame.current)) for (const name in frame.current) result[name] = frame.current[name];
      return undefined;
    };
  }
  const { expression } = item;
  const named = item.alias === undefined ? fieldNames(expression) : undefined;
  if (named !== undefined && expression.kind === 'call') return compileNamedFields(expression.path, named, compiler);
  const path = naming(item);
  const evaluate = compiler.expression(item.expression);
  const [name] = path;
  if (path.length === 1 && name !== undefined) {
    return (frame, result) => {
      const value = evaluate(frame);
      if (!(value instanceof Promise)) {
        result[name] = value;
        return undefined;
      }
      return value.then((settled) => {
        result[name] = settled;
        return undefined;
      });
    };
  }
  return (frame, result) =>
    andThen(evaluate(frame), (value) => {
      writeAt(result, path, value);
      return undefined;
    });
}

/** `type::field(…)` and `type::fields(…)`: each field stands at its own path. */
function compileNamedFields(path: string, names: Expression, compiler: Compiler): Writer {
  const evaluate = compiler.expression(names);
  return (frame, result) =>
    andThen(evaluate(frame), (value) =>
      andThen(
        forEachInOrder(namesOfCall(path, value), (name) => {
          const idiom = plainPath(name);
          return andThen(compiler.expression(idiom)(frame), (field) => {
            writeAt(result, fieldPath({ expression: idiom }), field);
            return undefined;
          });
        }),
        () => undefined,
      ),
    );
}

/**
 * Writes at a nested path, into each element of a list on the way; what else stands in the way and isn't an object is
 * replaced.
 */
export function writeAt(target: MutableObject, path: readonly string[], value: Value): void {
  const [name, ...below] = path;
  if (name !== undefined) target[name] = below.length === 0 ? value : writtenInto(target[name], below, value);
}

/** Objects on the way may belong to a record; they are copied, never changed. */
function writtenInto(existing: Value, path: readonly string[], value: Value): Value {
  if (isArray(existing)) return existing.map((item) => writtenInto(item, path, value));
  const next = newObject();
  if (isObject(existing)) for (const key in existing) next[key] = existing[key];
  writeAt(next, path, value);
  return next;
}
