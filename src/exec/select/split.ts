import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Idiom } from '../../language/ast.js';
import { isArray, isObject, SetValue, type Value } from '../../value/value.js';
import type { Compiler, Frame } from '../execution.js';
import { setPath } from '../expression/assign.js';
import { replaced } from './fetch.js';

/** SPLIT: one row for each element of an array, be it NONE. A row whose array is empty, or that has none, stays as it is. */
export function compileSplit(
  paths: readonly Idiom[],
  compiler: Compiler,
): (frame: Frame, row: Value) => PromiseOrValue<Value[]> {
  const compiled = paths.map((path) => ({ path, evaluate: compiler.expression(path) }));
  return (frame, row) => {
    let rows: PromiseOrValue<Value[]> = [row];
    for (const { path, evaluate } of compiled) {
      rows = andThen(rows, (parts) =>
        andThen(
          mapInOrder(parts, (part) => splitOne(frame, part, path, evaluate(frame.within(part)))),
          (groups) => groups.flat(),
        ),
      );
    }
    return rows;
  };
}

function splitOne(frame: Frame, row: Value, path: Idiom, found: PromiseOrValue<Value>): PromiseOrValue<Value[]> {
  return andThen(found, (value) => {
    const elements = value instanceof SetValue ? value.items : value;
    if (!isArray(elements) || elements.length === 0 || !isObject(row)) return [row];
    const [first, ...deeper] = path.parts;
    if (first?.kind === 'field' && deeper.length === 0)
      return elements.map((element) => replaced(row, first.name, element));
    return mapInOrder(elements, (element) => setPath(row, path, '=', element, frame));
  });
}
