/** Where records that link to a record may be: the fields that take such links, and the relations. */
import { loadTableParts } from '../../../connection/definitions.js';
import { tablesWithin } from '../../../connection/kinds.js';
import type { StatementSource } from '../../../connection/statement-source.js';
import { identifier } from '../../../connection/surrealql.js';
import type { TableParts } from '../../../connection/table-parts.js';

export interface IncomingLinks {
  readonly table: string;
  /** In words: the path of the field, or the end of the edges. */
  readonly by: string;
  /** The condition that these rows meet: `boss = person:ann`. */
  readonly filter: string;
  /** An expression: how many there are. */
  readonly count: string;
}

/** Longest that a count may take, where no index knows the links. */
const PATIENCE = 'TIMEOUT 5s';

/**
 * @param id the code of a record's id
 * @throws Error for users who may not see the definitions
 */
export async function loadIncomingLinks(
  source: StatementSource,
  table: string,
  id: string,
): Promise<readonly IncomingLinks[]> {
  return incomingLinks(await loadTableParts(source), table, id);
}

export function incomingLinks(tables: readonly TableParts[], table: string, id: string): readonly IncomingLinks[] {
  return tables.flatMap((other) => {
    const isRelation = other.kind.kind === 'RELATION';
    return other.fields.flatMap(({ name, kind = 'any', reference }) => {
      if (!takesLinksTo(kind, table) || isItem(name, other)) return [];
      if (isRelation && (name === 'in' || name === 'out')) return [edges(other.name, name, id)];
      const filter = `${name} ${isList(name, kind) ? 'CONTAINS' : '='} ${id}`;
      const target = identifier(other.name);
      const count =
        reference === undefined
          ? `(SELECT count() FROM ${target} WHERE ${filter} GROUP ALL ${PATIENCE})[0].count ?? 0`
          : `count(${id}<~(${target} FIELD ${name}))`;
      return [{ table: other.name, by: name, filter, count }];
    });
  });
}

/** Edges are known by the record. */
function edges(relation: string, end: 'in' | 'out', id: string): IncomingLinks {
  const arrow = end === 'in' ? '->' : '<-';
  return {
    table: relation,
    by: end === 'in' ? 'edges from here' : 'edges to here',
    filter: `${end} = ${id}`,
    count: `count(${id}${arrow}${identifier(relation)})`,
  };
}

/** `record` alone takes links to any table. */
function takesLinksTo(kind: string, table: string): boolean {
  return tablesWithin(kind).includes(table) || /\brecord\b(?!<)/.test(kind);
}

/** Whether it is the items of a list that is a field of its own: `tags.*` of `tags`. */
function isItem(name: string, { fields }: TableParts): boolean {
  const list = name.endsWith('.*') ? name.slice(0, -2) : undefined;
  return fields.some((field) => field.name === list && /\brecord\b/.test(field.kind ?? ''));
}

function isList(name: string, kind: string): boolean {
  return name.includes('*') || /\b(array|set)\b/.test(kind);
}
