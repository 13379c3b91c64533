/** What the list of fields shows: type, default, what is asserted, indexes, and who may read and write it. */
import type { Column } from '../../components/data-table.js';
import type { Definition } from '../../connection/definitions.js';
import { clauseText, permissions } from '../../connection/statements.js';
import type { FieldParts, IndexParts } from '../../connection/table-parts.js';
import { fieldHead } from './designer/schema.js';

interface Parts {
  readonly fields: readonly FieldParts[];
  readonly indexes: readonly IndexParts[];
}

export function fieldColumns({ fields, indexes }: Parts): readonly Column<Definition>[] {
  const column = (title: string, textOf: (field: FieldParts) => string): Column<Definition> => ({
    title,
    cell({ statement }) {
      const field = fields.find(({ name }) => statement.startsWith(fieldHead(name)));
      return field && <code className="statement">{textOf(field)}</code>;
    },
  });
  return [
    column('Type', ({ kind = 'any', computed }) => (computed === undefined ? kind : `computed: ${computed}`)),
    column('Default', (field) => field.default ?? ''),
    column('Assert', ({ assert = '' }) => assert),
    column('Indexes', ({ name }) =>
      indexes
        .filter(({ cols }) => cols.includes(name))
        .map((index) => (index.index === 'UNIQUE' ? `${index.name} (unique)` : index.name))
        .join(', '),
    ),
    column('Permissions', (field) => permissionText(field.permissions)),
  ];
}

/** `FULL`, `FOR select FULL, FOR create, update NONE`. */
function permissionText(clauses: FieldParts['permissions']): string {
  const texts = Object.entries(clauses).map(([action, clause]) => [action, clauseText(clause)]);
  return permissions(Object.fromEntries(texts)).replace('PERMISSIONS ', '');
}
