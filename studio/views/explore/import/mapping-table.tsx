/** Chooses for each column of a file the field that it is stored in, and the type that its values are read as. */
import { Autocomplete, Group, NativeSelect, Text } from '@mantine/core';
import { DataTable } from '../../../components/data-table.js';
import { COLUMN_TYPES, type ColumnType, type Mapping } from './column-types.js';
import { jsonOf } from './read-json.js';
import type { SourceRow } from './source-rows.js';

interface Properties {
  readonly mappings: readonly Mapping[];
  readonly rows: readonly SourceRow[];
  /** The names of fields that are offered. */
  readonly fields: readonly string[];
  /** The names of the tables that a link may lead to. */
  readonly tables: readonly string[];
  readonly disabled: boolean;
  onChange(at: number, changed: Partial<Mapping>): void;
}

/** Rows in which an example is looked for. */
const SEEN = 100;
const LONGEST = 60;

export function MappingTable({ mappings, rows, fields, tables, disabled, onChange }: Properties) {
  return (
    <DataTable
      caption="Columns of the file, and the fields that they are stored in"
      rows={mappings.map((mapping, at) => ({ mapping, at }))}
      keyOf={({ mapping }) => mapping.column}
      columns={[
        { title: 'Column', cell: ({ mapping }) => <strong>{mapping.column}</strong> },
        { title: 'Example', cell: ({ mapping }) => <span className="value">{exampleOf(mapping.column, rows)}</span> },
        {
          title: 'Field',
          cell: ({ mapping, at }) => (
            <Autocomplete
              miw="8rem"
              aria-label={`Field of ${mapping.column}`}
              placeholder="Ignored"
              data={[...fields]}
              disabled={disabled}
              autoComplete="off"
              spellCheck={false}
              value={mapping.field}
              onChange={(field) => onChange(at, { field })}
            />
          ),
        },
        {
          title: 'Read as',
          cell: ({ mapping, at }) =>
            mapping.field === '' ? (
              <Text c="dimmed">Not stored</Text>
            ) : (
              <Group gap="xs" wrap="nowrap">
                <NativeSelect
                  miw="8rem"
                  aria-label={`Type of ${mapping.column}`}
                  data={Object.entries(COLUMN_TYPES).map(([value, label]) => ({ value, label }))}
                  disabled={disabled}
                  value={mapping.type}
                  onChange={({ currentTarget }) => onChange(at, { type: currentTarget.value as ColumnType })}
                />
                {mapping.type === 'record' && mapping.field !== 'id' && (
                  <Autocomplete
                    miw="8rem"
                    aria-label={`Table of the keys of ${mapping.column}`}
                    placeholder="Whole ids"
                    data={[...tables]}
                    disabled={disabled}
                    autoComplete="off"
                    spellCheck={false}
                    value={mapping.table}
                    onChange={(table) => onChange(at, { table })}
                  />
                )}
              </Group>
            ),
        },
      ]}
    />
  );
}

/** The first value that there is. */
function exampleOf(column: string, rows: readonly SourceRow[]): string {
  for (const { cells } of rows.slice(0, SEEN)) {
    const value = cells.get(column);
    if (value === undefined || value === '' || value === null) continue;
    const text = typeof value === 'string' ? value : jsonOf(value);
    return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  }
  return '';
}
