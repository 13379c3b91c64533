/** What leads from table to table: fields that hold record ids, and edges of relations. */

/** What a table's definition says of links. */
export interface LinkedTable {
  readonly name: string;
  readonly kind: { readonly kind: string; readonly in?: readonly string[]; readonly out?: readonly string[] };
  /** Each by its path, with its type in SurrealQL. */
  readonly fields: readonly { readonly name: string; readonly kind?: string }[];
}

export interface Link {
  /** The table whose definition says so. */
  readonly of: string;
  readonly from: string;
  readonly to: string;
  /** The path of the field; `in` and `out` of relations. */
  readonly label: string;
}

/** `record<person | `odd one`>`, wherever it stands in a type. */
const RECORD = /\brecord<((?:`(?:\\.|[^`\\])*`|[^`>])*)>/g;
const NAME = /`((?:\\.|[^`\\])*)`|[^\s|`]+/g;

/** The tables that values of a type in SurrealQL lead to. */
export function recordTables(type: string): string[] {
  const unions = [...type.matchAll(RECORD)].map(([, union = '']) => union);
  const names = unions.flatMap((union) => [...union.matchAll(NAME)]);
  return names.map(([plain, quoted]) => quoted?.replace(/\\(.)/g, '$1') ?? plain);
}

/** The links between these tables. Those of a relation go from the table of `in` to it, and from it to that of `out`. */
export function linksOf(tables: readonly LinkedTable[]): Link[] {
  const known = new Set(tables.map(({ name }) => name));
  const links = tables.flatMap(({ name, kind, fields }) => [
    ...(kind.in ?? []).map((from) => ({ of: name, from, to: name, label: 'in' })),
    ...(kind.out ?? []).map((to) => ({ of: name, from: name, to, label: 'out' })),
    ...fields
      .filter(({ name: path }) => kind.kind !== 'RELATION' || (path !== 'in' && path !== 'out'))
      .flatMap((field) =>
        recordTables(field.kind ?? '').map((to) => ({
          of: name,
          from: name,
          to,
          label: field.name.replace(/(\.\*)+$/, ''),
        })),
      ),
  ]);
  const byText = new Map(links.map((link) => [JSON.stringify(link), link]));
  return [...byText.values()].filter(({ from, to }) => known.has(from) && known.has(to));
}
