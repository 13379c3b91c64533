/** The types of an app's statements as TypeScript, and functions for those that are files. */
import { hasNone, isAnyType } from '../../inference/types.js';
import type { ClientDialect } from './dialect.js';
import { documentation, templateLiteral } from './identifiers.js';
import type { CheckedQueries, TypedQuery } from './queries/check-queries.js';
import { declaration, type Member, members, type TypeWriter } from './type-writer.js';

type NamedQuery = CheckedQueries['queries'][number];

/** The declarations, each with a line break behind it. */
export function queryTexts(queries: readonly NamedQuery[], dialect: ClientDialect, writer: TypeWriter): string[] {
  const member = (text: (query: NamedQuery) => string) =>
    queries.map((query): Member => ({ name: query.name, text: text(query), optional: false }));
  return [
    declaration(
      'Queries',
      dialect.queries,
      member(({ results }) => `[${results.map((type) => writer.of(type)).join(', ')}]`),
    ),
    declaration(
      'QueryParameters',
      'The parameters of each query by their names; of a template, its values in order.',
      member((query) => parametersText(query, writer)),
    ),
    ...queries.filter(({ source }) => source.values === undefined).map((query) => functionOf(query, dialect)),
  ];
}

function parametersText({ source: { values }, parameters }: TypedQuery, writer: TypeWriter): string {
  const textOf = (name: string) => {
    const type = parameters.get(name);
    return type === undefined ? 'unknown' : writer.of(type);
  };
  if (values !== undefined) return `[${values.map(textOf).join(', ')}]`;
  return members(
    [...parameters].map(([name, type]) => ({ name, text: textOf(name), optional: hasNone(type) && !isAnyType(type) })),
  );
}

function functionOf({ name, source, parameters }: NamedQuery, dialect: ClientDialect): string {
  const text = templateLiteral(source.text.trim().replaceAll('\r\n', '\n'));
  return `${documentation(source.file)}${dialect.queryFunction(name, text, parameters.size > 0)}`;
}
