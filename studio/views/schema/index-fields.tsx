/** What the form of an index asks for. */
import { CheckboxField, Field, SelectField } from '../../components/field.js';
import { SuggestionField } from '../../components/suggestion-field.js';
import type { IndexChoice } from '../../connection/statements.js';

const KINDS: Readonly<Record<IndexChoice['kind'], string>> = {
  plain: 'Order: equal values and ranges',
  unique: 'Unique',
  fulltext: 'Full-text search',
  hnsw: 'Nearest neighbours of vectors',
  count: 'Count of records',
};

interface Properties {
  readonly index: IndexChoice;
  /** The paths of the fields of its table. */
  readonly fields: readonly string[];
  onChange(index: IndexChoice): void;
}

export function IndexFields({ index, fields, onChange }: Properties) {
  const change = (changed: Partial<IndexChoice>) => onChange({ ...index, ...changed });
  return (
    <>
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
    </>
  );
}

export function isIncomplete({ name, fields, kind, analyzer, dimension }: IndexChoice): boolean {
  if (name === '' || (kind !== 'count' && fields.trim() === '')) return true;
  return (kind === 'fulltext' && analyzer === '') || (kind === 'hnsw' && !/^[1-9]\d*$/.test(dimension));
}
