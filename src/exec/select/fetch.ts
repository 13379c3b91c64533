/** FETCH: replaces record links by the records, as far as the reader may see them. */
import { andThen, mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Expression, Part } from '../../language/ast.js';
import { isArray, isObject, newObject, type ObjectValue, RecordId, SetValue, type Value } from '../../value/value.js';
import type { Compiler, Frame } from '../execution.js';
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

/** Follows a path of fields and all elements; every link on the way and at its end becomes its record. A hidden or missing record becomes NONE. */
function fetchAt(frame: Frame, value: Value, parts: readonly Part[], from: number): PromiseOrValue<Value> {
  const part = parts[from];
  if (isArray(value)) {
    if (part?.kind === 'last' && value.length > 0) {
      const last = fetchAt(frame, value.at(-1), parts, from + 1);
      return andThen(last, (fetched) => [...value.slice(0, -1), fetched]);
    }
    if (part !== undefined && part.kind !== 'field' && part.kind !== 'all') return value;
    frame.unfold(value.length);
    const below = part?.kind === 'all' ? from + 1 : from;
    return mapInOrder(value, (element) => fetchAt(frame, element, parts, below));
  }
  if (value instanceof SetValue) return fetchAt(frame, value.items, parts, from);
  if (value instanceof RecordId) {
    return andThen(frame.execution.reader.read(frame.execution, value), (record) =>
      from === parts.length ? record : fetchAt(frame, record, parts, from),
    );
  }
  if ((part?.kind !== 'field' && part?.kind !== 'all') || !isObject(value)) return value;
  const names = part.kind === 'field' ? [part.name] : Object.keys(value);
  const found = names.filter((name) => value[name] !== undefined);
  const fetched = mapInOrder(found, (name) => fetchAt(frame, value[name], parts, from + 1));
  return andThen(fetched, (fresh) =>
    found.reduce<Value>((all, name, at) => replaced(all as ObjectValue, name, fresh[at]), value),
  );
}

/** A copy with another value in one field; unlike in a stored record, the field stays when it is NONE. */
export function replaced(value: ObjectValue, name: string, field: Value): ObjectValue {
  const copy = newObject();
  for (const key in value) copy[key] = value[key];
  copy[name] = field;
  return copy;
}
