/** A schema from a text of definitions. */
import type { Schema } from '../../src/inference/schema.js';
import type { DefineStatement } from '../../src/language/ast.js';
import { parseQuery } from '../../src/language/parse.js';

export function schemaOf(definitions: string): Schema {
  const { statements } = parseQuery(definitions);
  const all = <K extends DefineStatement['kind']>(kind: K) =>
    statements.filter((statement): statement is Extract<DefineStatement, { kind: K }> => statement.kind === kind);
  return {
    tables: all('define-table').map((definition) => ({
      definition,
      name: String(definition.name),
      fields: all('define-field').filter(({ table }) => table === definition.name),
    })),
    functions: all('define-function'),
    params: all('define-param'),
  };
}
