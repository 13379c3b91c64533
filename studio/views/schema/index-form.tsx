/** The form that defines an index of a table. */
import { useState } from 'react';
import { CheckboxField, Field, SelectField } from '../../components/field.js';
import { SuggestionField } from '../../components/suggestion-field.js';
import type { Connection } from '../../connection/connection.js';
import { defineIndex, type IndexChoice } from '../../connection/statements.js';
import { StatementDialog } from './statement-dialog.js';

interface Properties {
  readonly connection: Connection;
  readonly table: string;
  /** The paths of its fields. */
  readonly fields: readonly string[];
  onClose(): void;
  onDone(): void;
}

const EMPTY: IndexChoice = { name: '', fields: '', kind: 'plain', analyzer: '', dimension: '', isConcurrent: true };

const KINDS: Readonly<Record<IndexChoice['kind'], string>> = {
  plain: 'Order: equal values and ranges',
  unique: 'Unique',
  fulltext: 'Full-text search',
  hnsw: 'Nearest neighbours of vectors',
  count: 'Count of records',
};

export function IndexForm({ connection, table, fields, onClose, onDone }: Properties) {
  const [index, setIndex] = useState(EMPTY);
  const change = (changed: Partial<IndexChoice>) => setIndex({ ...index, ...changed });
  return (
    <StatementDialog
      title={`New index of ${table}`}
      connection={connection}
      statement={defineIndex(table, index)}
      isIncomplete={isIncomplete(index)}
      action="Define"
      onClose={onClose}
      onDone={onDone}
    >
      <div className="pairs">
        <Field label="Name" value={index.name} onChange={(name) => change({ name })} required />
        <SelectField label="Kind" value={index.kind} options={KINDS} onChange={(kind) => change({ kind })} />
      </div>
      {index.kind !== 'count' && (
        <SuggestionField
          label="Fields"
          hint="Paths with commas between, in the order in which they are compared"
          value={index.fields}
          suggestions={fields}
          onChange={(changed) => change({ fields: changed })}
        />
      )}
      {index.kind === 'fulltext' && (
        <Field label="Analyzer" value={index.analyzer} onChange={(analyzer) => change({ analyzer })} />
      )}
      {index.kind === 'hnsw' && (
        <Field label="Components" value={index.dimension} onChange={(dimension) => change({ dimension })} />
      )}
      <CheckboxField
        label="Build in the background"
        checked={index.isConcurrent}
        onChange={(isConcurrent) => change({ isConcurrent })}
      />
    </StatementDialog>
  );
}

function isIncomplete({ name, fields, kind, analyzer, dimension }: IndexChoice): boolean {
  if (name === '' || (kind !== 'count' && fields.trim() === '')) return true;
  return (kind === 'fulltext' && analyzer === '') || (kind === 'hnsw' && !/^[1-9]\d*$/.test(dimension));
}
