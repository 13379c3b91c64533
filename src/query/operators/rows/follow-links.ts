/** FETCH: replaces record links by the records, as far as the reader may see them. */
import { andThen, type PromiseOrValue, untilTrue } from '../../../base/promise-or-value.js';
import { eachItem } from '../../../base/work/loops.js';
import type { Expression, Part } from '../../../language/ast.js';
import type { Compiler, Frame } from '../../../runtime/frame.js';
import {
  isArray,
  isObject,
  type MutableObject,
  newObject,
  type ObjectValue,
  RecordId,
  SetValue,
  type Value,
} from '../../../value/value.js';
import { pathsNamed } from './paths-named.js';

/** Compiles FETCH: replaces the record links at these paths of each row by their records. */
export function compileFetch(
  expressions: readonly Expression[],
  compiler: Compiler,
): (frame: Frame, rows: readonly Value[]) => PromiseOrValue<Value[]> {
  const paths = pathsNamed(expressions, compiler);
  return (frame, rows) =>
    andThen(paths(frame), (found) => {
      let fetched: PromiseOrValue<Value[]> = rows.slice();
      for (const { parts } of found) {
        fetched = andThen(fetched, (values) => fetchAll(frame, parts, values));
      }
      return fetched;
    });
}

/** Number of rows that follow a path together: their links are read at once. */
const ROWS_TOGETHER = 1024;

function fetchAll(frame: Frame, parts: readonly Part[], rows: readonly Value[]): PromiseOrValue<Value[]> {
  if (rows.length <= ROWS_TOGETHER) return new PathFetch(frame, parts).rows(rows);
  const all: Value[] = [];
  let from = 0;
  const step = () => {
    const some = rows.slice(from, from + ROWS_TOGETHER);
    from += ROWS_TOGETHER;
    return andThen(new PathFetch(frame, parts).rows(some), (fetched) => {
      for (const row of fetched) all.push(row);
      return from >= rows.length || andThen(frame.execution.interrupt.checkpoint(), () => false);
    });
  };
  return andThen(untilTrue(step), () => all);
}

/** The location of a value in a copy. */
type Put = (value: Value) => void;

/** A link on the path, with the number of parts that lead to it. */
interface Link {
  readonly id: RecordId;
  readonly taken: number;
  readonly put: Put;
}

/**
 * Follows a path of fields and all elements; every link on the way and at its end becomes its record. A hidden or
 * missing record becomes NONE. All rows go down to their next links, those are read together, and the path goes on in
 * their records.
 */
class PathFetch {
  #links: Link[] = [];

  constructor(
    private readonly frame: Frame,
    private readonly parts: readonly Part[],
  ) {}

  rows(rows: readonly Value[]): PromiseOrValue<Value[]> {
    const fetched = rows.slice();
    this.#each(rows, 0, fetched);
    return andThen(this.#follow(), () => fetched);
  }

  /** Each round takes at least one part of the path. */
  #follow(): PromiseOrValue<void> {
    const links = this.#links;
    if (links.length === 0) return;
    this.#links = [];
    const { execution } = this.frame;
    const ids = links.map(({ id }) => id);
    return andThen(execution.services.reader.readMany(execution, ids), (records) => {
      const placed = eachItem(links, execution.interrupt, ({ taken, put }, at) => {
        if (taken === this.parts.length) put(records[at]);
        else this.#descend(records[at], taken, put);
      });
      return andThen(placed, () => this.#follow());
    });
  }

  #each(values: readonly Value[], taken: number, copy: Value[]): void {
    for (const [at, value] of values.entries()) {
      this.#descend(value, taken, (fetched) => {
        copy[at] = fetched;
      });
    }
  }

  #descend(value: Value, taken: number, put: Put): void {
    if (isArray(value)) this.#intoArray(value, taken, put);
    else if (value instanceof SetValue) this.#intoArray(value.items, taken, put);
    else if (value instanceof RecordId) this.#links.push({ id: value, taken, put });
    else if (isObject(value)) this.#intoObject(value, taken, put);
    else put(value);
  }

  #intoObject(value: ObjectValue, taken: number, put: Put): void {
    const names = namesAt(value, this.parts[taken]);
    const copy = names.length === 0 ? value : copied(value);
    put(copy);
    for (const name of names) {
      this.#descend(value[name], taken + 1, (fetched) => {
        (copy as MutableObject)[name] = fetched;
      });
    }
  }

  #intoArray(value: readonly Value[], taken: number, put: Put): void {
    const part = this.parts[taken];
    const copy = value.slice();
    put(copy);
    if (part === undefined || part.kind === 'field' || part.kind === 'all') {
      this.frame.unfold(value.length);
      this.#each(value, part?.kind === 'all' ? taken + 1 : taken, copy);
    } else if (part.kind === 'last' && value.length > 0) {
      const last = value.length - 1;
      this.#descend(value[last], taken + 1, (fetched) => {
        copy[last] = fetched;
      });
    }
  }
}

/** The fields of an object that a part of a path goes into. */
function namesAt(value: ObjectValue, part: Part | undefined): readonly string[] {
  if (part?.kind === 'field') return value[part.name] === undefined ? [] : [part.name];
  return part?.kind === 'all' ? Object.keys(value).filter((name) => value[name] !== undefined) : [];
}

/** A copy with another value in one field; unlike in a stored record, the field stays when it is NONE. */
export function replaced(value: ObjectValue, name: string, field: Value): ObjectValue {
  const copy = copied(value);
  copy[name] = field;
  return copy;
}

function copied(value: ObjectValue): MutableObject {
  const copy = newObject();
  for (const key in value) copy[key] = value[key];
  return copy;
}
