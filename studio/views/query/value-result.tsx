/** A value as a table, a tree or JSON. */
import { Tabs, Text } from '@mantine/core';
import { useState } from 'react';
import { jsonify } from 'surrealdb';
import { DataTable } from '../../components/data-table.js';
import { Value } from '../../components/value.js';

const SHAPES = { table: 'Table', json: 'JSON' } as const;

/** Rows that are drawn. Explore has all of a table. */
const MOST_ROWS = 500;
/** Columns that are drawn. */
const MOST_COLUMNS = 100;
/** Characters of JSON that are drawn. */
const LONGEST = 500_000;

type Shape = keyof typeof SHAPES;

export function ValueResult({ value }: { readonly value: unknown }) {
  const [shape, setShape] = useState<Shape>('table');
  const rows = rowsOf(value);
  if (rows === undefined && (typeof value !== 'object' || value === null)) return <Value value={value} whole />;
  return (
    <Tabs value={shape} onChange={(chosen) => setShape((chosen ?? 'table') as Shape)}>
      <Tabs.List aria-label="How it is shown" mb="xs">
        {Object.entries(SHAPES).map(([name, title]) => (
          <Tabs.Tab key={name} value={name}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={shape}>
        {shape === 'json' ? <Json value={value} /> : <RowTable rows={rows ?? [{ value }]} />}
      </Tabs.Panel>
    </Tabs>
  );
}

type AnyRow = Readonly<Record<string, unknown>>;

/** A list of objects, or one object, as rows; `undefined` for other values. */
function rowsOf(value: unknown): readonly AnyRow[] | undefined {
  if (Array.isArray(value)) return value.map((one) => (isRow(one) ? one : { value: one }));
  return isRow(value) ? [value] : undefined;
}

function isRow(value: unknown): value is AnyRow {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function RowTable({ rows }: { readonly rows: readonly AnyRow[] }) {
  const shown = rows.slice(0, MOST_ROWS);
  const columns = [...new Set(shown.flatMap((row) => Object.keys(row)))];
  return (
    <>
      <DataTable
        caption="Rows"
        empty="No rows"
        rows={shown}
        keyOf={(_row, at) => at}
        columns={columns.slice(0, MOST_COLUMNS).map((title) => ({
          title,
          cell: (row: AnyRow) => Object.hasOwn(row, title) && <Value value={row[title]} />,
        }))}
      />
      <Text c="dimmed" size="sm">
        {rows.length} {rows.length === 1 ? 'row' : 'rows'}
        {rows.length > MOST_ROWS && `, of which the first ${MOST_ROWS} are shown`}
        {columns.length > MOST_COLUMNS && `; of ${columns.length} columns, the first ${MOST_COLUMNS} are shown`}
      </Text>
    </>
  );
}

function Json({ value }: { readonly value: unknown }) {
  const text = JSON.stringify(jsonify(value), (_key, inner) => (typeof inner === 'bigint' ? String(inner) : inner), 2);
  return <pre>{text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}</pre>;
}
