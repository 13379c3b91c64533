/** The representation of values in programs: the classes of the official client, or those of Tessera in process. */
import type { GeometryType, PlainType } from '../../value/type.js';
import { stringLiteral } from './identifiers.js';

export interface ClientDialect {
  /** The package that has the classes. */
  readonly module: string;
  /** The types that may have to be imported. */
  readonly classes: readonly string[];
  readonly plain: Readonly<Record<PlainType, string>>;
  readonly file: string;
  readonly geometry: string;
  readonly geometries: Readonly<Record<GeometryType, string>>;
  set(item: string): string;
  /** A table as a value: one of `tables`, or any. */
  table(tables: readonly string[]): string;
  /** A record id of one of `tables`, or of any; `key` is the type behind the colon. */
  record(tables: readonly string[], key?: string): string;
  /** A float without a fraction, as a value. */
  wholeFloat(value: number): string;
  /** What is imported as a value for functions of queries; types are imported as such. */
  readonly queryClass?: string;
  /** The docstring of the list of queries. */
  readonly queries: string;
  /** A function for the statements of a file. */
  queryFunction(name: string, text: string, hasParameters: boolean): string;
  /** The docstring of the list of functions. */
  readonly functions: string;
}

const alternatives = (names: readonly string[]) => names.map(stringLiteral).join(' | ');

/** The types that are the same everywhere. */
const SAME = {
  any: 'unknown',
  none: 'undefined',
  null: 'null',
  bool: 'boolean',
  int: 'number',
  string: 'string',
} as const;

const CLIENT: ClientDialect = {
  module: 'surrealdb',
  classes: [
    ...['DateTime', 'Decimal', 'Duration', 'FileRef', 'Geometry', 'GeometryCollection', 'GeometryLine'],
    ...['GeometryMultiLine', 'GeometryMultiPoint', 'GeometryMultiPolygon', 'GeometryPoint', 'GeometryPolygon'],
    ...['Range', 'RecordId', 'Table', 'Uuid'],
  ],
  plain: {
    ...SAME,
    bytes: 'ArrayBuffer',
    datetime: 'DateTime',
    decimal: 'Decimal',
    duration: 'Duration',
    float: 'number',
    function: 'unknown',
    number: 'number | Decimal',
    range: 'Range<unknown, unknown>',
    regex: 'unknown',
    uuid: 'Uuid',
  },
  file: 'FileRef',
  geometry: 'Geometry',
  geometries: {
    point: 'GeometryPoint',
    line: 'GeometryLine',
    polygon: 'GeometryPolygon',
    multipoint: 'GeometryMultiPoint',
    multiline: 'GeometryMultiLine',
    multipolygon: 'GeometryMultiPolygon',
    collection: 'GeometryCollection',
  },
  set: (item) => `Set<${item}>`,
  table: (tables) => (tables.length === 0 ? 'Table' : `Table<${alternatives(tables)}>`),
  record: (tables, key) => {
    if (tables.length === 0) return 'RecordId';
    return `RecordId<${alternatives(tables)}${key === undefined ? '' : `, ${key}`}>`;
  },
  wholeFloat: String,
  queryClass: 'BoundQuery',
  queries: "What each query gives: a function's for `db.query(…)`, or a template's: `surql<Queries['…']>`.",
  queryFunction: (
    name,
    text,
    hasParameters,
  ) => `export function ${name}(${hasParameters ? `parameters: QueryParameters['${name}']` : ''}): BoundQuery<Queries['${name}']> {
  return new BoundQuery<Queries['${name}']>(${text}${hasParameters ? ', parameters' : ''});
}
`,
  functions: 'What each function takes and gives: `ReturnType<Functions[…]>` is the type for `db.run`.',
};

const shaped = (type: string) => `Geometry & { readonly shape: { readonly type: '${type}' } }`;

/** A whole number of type float is a `Float`. */
const EMBEDDED: ClientDialect = {
  module: 'tesseradb',
  classes: [
    ...['Closure', 'Datetime', 'Decimal', 'Duration', 'FileReference', 'Float', 'Geometry', 'Range', 'RecordId'],
    ...['Regex', 'SetValue', 'StatementRunner', 'Table', 'Uuid'],
  ],
  plain: {
    ...SAME,
    bytes: 'Uint8Array',
    datetime: 'Datetime',
    decimal: 'Decimal',
    duration: 'Duration',
    float: 'number | Float',
    function: 'Closure',
    number: 'number | Float | Decimal',
    range: 'Range',
    regex: 'Regex',
    uuid: 'Uuid',
  },
  file: 'FileReference',
  geometry: 'Geometry',
  geometries: {
    point: shaped('Point'),
    line: shaped('LineString'),
    polygon: shaped('Polygon'),
    multipoint: shaped('MultiPoint'),
    multiline: shaped('MultiLineString'),
    multipolygon: shaped('MultiPolygon'),
    collection: shaped('GeometryCollection'),
  },
  set: (item) => `SetValue & { readonly items: readonly (${item})[] }`,
  table: (tables) => (tables.length === 0 ? 'Table' : `Table & { readonly name: ${alternatives(tables)} }`),
  record: (tables, key) => {
    const members = [
      ...(tables.length === 0 ? [] : [`readonly table: ${alternatives(tables)}`]),
      ...(key === undefined ? [] : [`readonly key: ${key}`]),
    ];
    return members.length === 0 ? 'RecordId' : `RecordId & { ${members.join('; ')} }`;
  },
  wholeFloat: () => 'Float',
  queries: 'What each query gives.',
  queryFunction: (
    name,
    text,
    hasParameters,
  ) => `export function ${name}(db: StatementRunner${hasParameters ? `, parameters: QueryParameters['${name}']` : ''}): Promise<Queries['${name}']> {
  return db.query<Queries['${name}']>(${text}${hasParameters ? ', parameters' : ''});
}
`,
  functions: 'What each function takes and gives.',
};

export const CLIENT_DIALECTS = { client: CLIENT, embedded: EMBEDDED } as const satisfies Record<string, ClientDialect>;
