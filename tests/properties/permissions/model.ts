/** The plainest account of PERMISSIONS: what a record user may see of records, told without any of the code that is tested. */
import { equals } from '../../../src/value/order.js';
import {
  isArray,
  isObject,
  newObject,
  type ObjectValue,
  objectFrom,
  RecordId,
  type Value,
} from '../../../src/value/value.js';

export const ME = new RecordId('user', 'me');
export const OTHER = new RecordId('user', 'other');
/** What is stored of the current user; rules read it, and no user sees it. */
export const MY_LEVEL = 2;
export const MY_RECORDS: readonly RecordId[] = [new RecordId('a', 1), new RecordId('a', 3)];

/** Two tables of nodes, and edges from the first to both. */
export const TABLES = ['a', 'b', 'e'] as const;
export type TableName = (typeof TABLES)[number];

export interface Rule {
  readonly text: string;
  /** The fields and the tables that it reads. */
  readonly reads: readonly string[];
  /** The same in JavaScript: of a record as it is stored, computed field included, and of the value of the field that is guarded. */
  holds(record: ObjectValue, value: Value, stored: Stored): boolean;
}

export interface Computed {
  readonly text: string;
  readonly reads: readonly string[];
  /** `look` finds what the current user may see of a record. */
  value(record: ObjectValue, look: (id: Value) => ObjectValue | undefined): Value;
}

export interface Table {
  readonly row: Rule;
  readonly guards: Guards;
  /** Paths at which no user subject to rules may change anything. */
  readonly fixed: readonly Path[];
  /** The field `c`. */
  readonly computed: Computed | undefined;
  readonly indexes: readonly string[];
}
export type Schema = Readonly<Record<TableName, Table>>;
export type Data = Readonly<Record<TableName, readonly ObjectValue[]>>;

/** Guarded paths: each with what it does to a record of which some values are hidden. */
export const PATHS = {
  n: hideField('n'),
  s: hideField('s'),
  owner: hideField('owner'),
  link: hideField('link'),
  c: hideField('c'),
  in: hideField('in'),
  out: hideField('out'),
  o: hideField('o'),
  'o.x': (record, hides) => inField(record, 'o', (o) => hideField('x')(o, hides)),
  'o.z.w': (record, hides) => inField(record, 'o', (o) => inField(o, 'z', (z) => hideField('w')(z, hides))),
  t: hideField('t'),
  't.*': (record, hides) => inItems(record, 't', (item) => (hides(item) ? undefined : item)),
  'l.*': (record, hides) => inItems(record, 'l', (item) => (hides(item) ? undefined : item)),
  'l.*.k': (record, hides) => inItems(record, 'l', (item) => (isObject(item) ? hideField('k')(item, hides) : item)),
} as const satisfies Record<string, Hide>;
export type Path = keyof typeof PATHS;
export type Guards = Partial<Record<Path, Rule>>;
type Hide = (record: ObjectValue, hides: (value: Value) => boolean) => ObjectValue;

function hideField(name: string): Hide {
  return (object, hides) =>
    object[name] !== undefined && hides(object[name]) ? withField(object, name, undefined) : object;
}

function inField(object: ObjectValue, name: string, change: (inner: ObjectValue) => ObjectValue): ObjectValue {
  const inner = object[name];
  return isObject(inner) ? withField(object, name, change(inner)) : object;
}

function inItems(record: ObjectValue, name: string, change: (item: Value) => Value): ObjectValue {
  const items = record[name];
  return isArray(items)
    ? withField(
        record,
        name,
        items.map(change).filter((item) => item !== undefined),
      )
    : record;
}

/** A copy with another value in one field; NONE leaves it out. */
export function withField(object: ObjectValue, name: string, value: Value): ObjectValue {
  const copy = newObject();
  for (const key of Object.keys(object)) if (key !== name) copy[key] = object[key];
  if (value !== undefined) copy[name] = value;
  return copy;
}

/** All that is stored, and what can be seen of it. */
export class Stored {
  readonly #schema: Schema;
  readonly data: Data;

  constructor(schema: Schema, data: Data) {
    this.#schema = schema;
    this.data = data;
  }

  find(id: Value): ObjectValue | undefined {
    if (!(id instanceof RecordId)) return undefined;
    return this.data[id.table as TableName]?.find((record) => equals(record['id'], id));
  }

  /** The edges that lead away from a record. */
  edgesFrom({ id }: ObjectValue): readonly ObjectValue[] {
    return this.data.e.filter((edge) => equals(edge['in'], id));
  }

  /** What is left of a record; `undefined` of one that is hidden. */
  visible(name: TableName, record: ObjectValue): ObjectValue | undefined {
    const { row, guards, computed } = this.#schema[name];
    const withComputed = (look: (id: Value) => ObjectValue | undefined) =>
      computed === undefined ? record : withField(record, 'c', computed.value(record, look));
    const judged = withComputed((id) => this.find(id));
    if (!row.holds(judged, undefined, this)) return undefined;
    const shown = withComputed((id) => this.#seen(id));
    return Object.entries(guards).reduce(
      (seen, [path, rule]) => PATHS[path as Path](seen, (value) => !rule.holds(judged, value, this)),
      shown,
    );
  }

  /**
   * What no write around it may take away, by the paths at which it stands: what is fixed, and elements that are
   * hidden. `n` and others that rules read are as they are stored.
   */
  untouchable(name: TableName, record: ObjectValue): Record<string, readonly Value[]> {
    const { guards, fixed, computed } = this.#schema[name];
    const judged =
      computed === undefined
        ? record
        : withField(
            record,
            'c',
            computed.value(record, (id) => this.find(id)),
          );
    const found: Record<string, readonly Value[]> = {};
    for (const path of Object.keys(PATHS) as Path[]) {
      const met: Value[] = [];
      PATHS[path](judged, (value) => {
        if (value === undefined) return false;
        const isHidden = guards[path]?.holds(judged, value, this) === false;
        if (fixed.includes(path) || (isHidden && path.endsWith('.*'))) met.push(value);
        return false;
      });
      found[path] = met;
    }
    return found;
  }

  /** A record in which nothing was ever stored at a guarded path that is hidden. */
  without(name: TableName, record: ObjectValue, path: Path): ObjectValue {
    const { guards, computed } = this.#schema[name];
    const judged =
      computed === undefined
        ? record
        : withField(
            record,
            'c',
            computed.value(record, (id) => this.find(id)),
          );
    return PATHS[path](record, (value) => guards[path]?.holds(judged, value, this) === false);
  }

  #seen(id: Value): ObjectValue | undefined {
    const found = this.find(id);
    return found && this.visible((id as RecordId).table as TableName, found);
  }

  /** The whole of what can be seen. */
  allVisible(): Data {
    const seen = (name: TableName) =>
      this.data[name].map((record) => this.visible(name, record)).filter((record) => record !== undefined);
    return { a: seen('a'), b: seen('b'), e: seen('e') };
  }
}

/** The records of a table, numbered from 1 on. */
export function numbered(table: TableName, rows: readonly object[]): ObjectValue[] {
  return rows.map((row, at) => withField(plainValue(row) as ObjectValue, 'id', new RecordId(table, at + 1)));
}

function plainValue(value: unknown): Value {
  if (isArray(value as Value)) return (value as unknown[]).map(plainValue);
  if (typeof value !== 'object' || value === null || value instanceof RecordId) return value as Value;
  return objectFrom(Object.entries(value).map(([name, item]) => [name, plainValue(item)] as const));
}
