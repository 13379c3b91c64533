/** FETCH: replaces record links by the records, as far as the reader may see them. */
import { andThen, mapInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Expression, Part } from '../language/ast.js';
import { isArray, isObject, newObject, type ObjectValue, RecordId, SetValue, type Value } from '../value/value.js';
import type { Compiler, Frame } from './execution.js';
import { pathsNamed } from './paths-named.js';

export function compileFetch(
  expressions: readonly Expression[],
  compiler: Compiler,
): (frame: Frame, rows: readonly Value[]) => PromiseOrValue<Value[]> {
  const paths = pathsNamed(expressions, compiler);
  return (frame, rows) =>
    andThen(paths(frame), (found) => {
      let fetched: PromiseOrValue<Value[]> = rows.slice();
      for (const path of found) {
        fetched = andThen(fetched, (values) => mapInOrder(values, (value) => fetchAt(frame, value, path.parts, 0)));
      }
      return fetched;
    });
}

/** Follows a path; every link on the way and at its end becomes its record. A hidden or missing record becomes NONE. */
function fetchAt(frame: Frame, value: Value, parts: readonly Part[], from: number): PromiseOrValue<Value> {
  if (isArray(value)) {
    frame.unfold(value.length);
    return mapInOrder(value, (element) => fetchAt(frame, element, parts, from));
  }
  if (value instanceof SetValue) return fetchAt(frame, value.items, parts, from);
  if (value instanceof RecordId) {
    return andThen(frame.execution.reader.read(frame.execution, value), (record) =>
      from === parts.length ? record : fetchAt(frame, record, parts, from),
    );
  }
  const part = parts[from];
  if (part === undefined || !isObject(value)) return value;
  if (part.kind === 'field') {
    const { name } = part;
    if (value[name] === undefined) return value;
    return andThen(fetchAt(frame, value[name], parts, from + 1), (fresh) => replaced(value, name, fresh));
  }
  if (part.kind === 'all') return fetchAt(frame, value, parts, from + 1);
  return value;
}

/** A copy with another value in one field; unlike in a stored record, the field stays when it is NONE. */
function replaced(value: ObjectValue, name: string, field: Value): ObjectValue {
  const copy = newObject();
  for (const key in value) copy[key] = key === name ? field : value[key];
  return copy;
}
