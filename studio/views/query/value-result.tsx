/** A value as a grid, a tree, JSON or a chart, and to download. */
import { Button, Group, Tabs, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { download } from '../../base/download.js';
import { keptStore } from '../../base/kept.js';
import { Grid } from '../../components/grid.js';
import { columnsOf, type GridRow, widthOf } from '../../components/grid-columns.js';
import { csvText, jsonText } from '../../components/row-text.js';
import { Value } from '../../components/value.js';
import { ValueTree } from '../../components/value-tree.js';
import { ResultChart } from './result-chart.js';
import { MOST_COLUMNS, rowsOf } from './result-rows.js';

const SHAPES = { grid: 'Grid', tree: 'Tree', json: 'JSON', chart: 'Chart' } as const;
type Shape = keyof typeof SHAPES;

/** That which was chosen last, which later results begin with. */
const keptShape = keptStore<Shape>('result-shape', 'grid', Object.keys(SHAPES) as Shape[]);

/** Rows by which the widths of columns are chosen. */
const SEEN_ROWS = 100;
/** Characters of JSON that are drawn. */
const LONGEST = 500_000;

export function ValueResult({ value }: { readonly value: unknown }) {
  const [shape, setShape] = useState(keptShape.value);
  const rows = useMemo(() => rowsOf(value), [value]);
  if (rows === undefined && (typeof value !== 'object' || value === null)) return <Value value={value} whole />;
  const choose = (chosen: string | null) => {
    setShape(chosen as Shape);
    keptShape.value = chosen as Shape;
  };
  const shownRows = rows ?? [{ value }];
  return (
    <Tabs value={shape} onChange={choose}>
      <Group justify="space-between" mb="xs">
        <Tabs.List aria-label="How it is shown">
          {Object.entries(SHAPES).map(([name, title]) => (
            <Tabs.Tab key={name} value={name}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Group gap="xs">
          <Button onClick={() => download(new Blob([jsonText(value)], { type: 'application/json' }), 'result.json')}>
            Download JSON
          </Button>
          <Button onClick={() => download(new Blob([csvText(shownRows)], { type: 'text/csv' }), 'result.csv')}>
            Download CSV
          </Button>
        </Group>
      </Group>
      <Tabs.Panel value={shape}>
        {shape === 'grid' && <RowGrid rows={shownRows} />}
        {shape === 'tree' && <ValueTree value={value} />}
        {shape === 'json' && <Json value={value} />}
        {shape === 'chart' && <ResultChart rows={shownRows} />}
      </Tabs.Panel>
    </Tabs>
  );
}

function RowGrid({ rows }: { readonly rows: readonly GridRow[] }) {
  const columns = useMemo(() => columnsOf(rows), [rows]);
  const shown = useMemo(() => {
    const seen = rows.slice(0, SEEN_ROWS);
    return columns.slice(0, MOST_COLUMNS).map((name) => ({ name, width: widthOf(name, seen) }));
  }, [rows, columns]);
  return (
    <>
      {rows.length > 0 && <Grid label="Rows" columns={shown} count={rows.length} rowAt={(at) => rows[at]} />}
      <Text c="dimmed" size="sm">
        {rows.length === 0 ? 'No rows' : `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`}
        {columns.length > MOST_COLUMNS && `; of ${columns.length} columns, the first ${MOST_COLUMNS} are shown`}
      </Text>
    </>
  );
}

function Json({ value }: { readonly value: unknown }) {
  const text = useMemo(() => jsonText(value), [value]);
  return <pre>{text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}</pre>;
}
