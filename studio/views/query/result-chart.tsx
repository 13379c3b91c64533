/** A chart of columns of a result that have numbers. */
import { Group, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Decimal } from 'surrealdb';
import { CheckboxField, SelectField } from '../../components/field.js';
import { columnsOf, type GridRow } from '../../components/grid-columns.js';
import { Pie } from '../../components/pie.js';
import { COLOURS, Plot, type Series } from '../../components/plot.js';
import { textOf } from '../../components/value-text.js';
import { MOST_COLUMNS } from './result-rows.js';

const KINDS = { bar: 'Bars', line: 'Lines', pie: 'Pie' } as const;
type Kind = keyof typeof KINDS;

/** Rows that are drawn. */
const MOST: Readonly<Record<Kind, number>> = { bar: 500, line: 5000, pie: 24 };
/** Columns that are offered. */
const MOST_OFFERED = 12;
/** Rows whose values are said in words, to those who don't see the chart, and below it. */
const MOST_IN_WORDS = 24;
const LONGEST_NAME = 60;

export function ResultChart({ rows }: { readonly rows: readonly GridRow[] }) {
  const columns = useMemo(() => columnsOf(rows).slice(0, MOST_COLUMNS), [rows]);
  const numeric = columns
    .filter((name) => rows.some((row) => numberOf(row, name) !== undefined))
    .slice(0, MOST_OFFERED);
  const [kind, setKind] = useState<Kind>('bar');
  const [by, setBy] = useState(() => columns.find((name) => !numeric.includes(name)) ?? '');
  const [chosen, setChosen] = useState<readonly string[]>(() => numeric.slice(0, 1));
  if (numeric.length === 0) return <Text c="dimmed">There is no column of numbers to draw.</Text>;
  const shown = rows.slice(0, MOST[kind]);
  const names = shown.map((row, at) => nameOf(row, by) ?? String(at + 1));
  const drawn = numeric.filter((name) => chosen.includes(name));
  const series = drawn.map((name) => ({ name, values: shown.map((row) => numberOf(row, name)) }));
  // The whole has no negative parts.
  const parts = names.map((name, at) => ({ name, value: Math.max(0, series[0]?.values[at] ?? 0) }));
  return (
    <Stack gap="xs">
      <Group align="end">
        <SelectField<Kind> label="Chart" value={kind} options={KINDS} onChange={setKind} />
        <SelectField
          label="Names from"
          value={by}
          options={Object.fromEntries([['', 'The number of the row'], ...columns.map((name) => [name, name])])}
          onChange={setBy}
        />
        {numeric.map((name) => (
          <CheckboxField
            key={name}
            label={name}
            checked={chosen.includes(name)}
            onChange={(isChosen) => setChosen(isChosen ? [...chosen, name] : chosen.filter((other) => other !== name))}
          />
        ))}
      </Group>
      <figure className="result-chart">
        {kind === 'pie' ? (
          <Pie label={`${drawn[0] ?? 'Nothing'}: ${inWords(names, series[0]?.values ?? [])}`} parts={parts} />
        ) : (
          <Plot
            label={series.map(({ name, values }) => `${name}: ${inWords(names, values)}`).join('; ')}
            kind={kind}
            series={series}
            width={960}
            height={240}
          />
        )}
        {kind === 'bar' && names.length <= MOST_IN_WORDS && (
          <div className="bar-names" aria-hidden="true">
            {names.map((name, at) => (
              <span key={at} title={name}>
                {name}
              </span>
            ))}
          </div>
        )}
        <figcaption>
          {(kind === 'pie' ? names : series.map(withRange)).slice(0, MOST_IN_WORDS).map((name, at) => (
            <span key={at} className={`legend series-${at % COLOURS}`}>
              {name}
            </span>
          ))}
        </figcaption>
      </figure>
      {rows.length > shown.length && (
        <Text c="dimmed" size="sm">
          {rows.length} rows, of which the first {shown.length} are drawn
        </Text>
      )}
    </Stack>
  );
}

function numberOf(row: GridRow, column: string): number | undefined {
  const value = Object.hasOwn(row, column) ? row[column] : undefined;
  if (typeof value !== 'number' && typeof value !== 'bigint' && !(value instanceof Decimal)) return undefined;
  const number = Number(value.toString());
  return Number.isFinite(number) ? number : undefined;
}

function nameOf(row: GridRow, column: string): string | undefined {
  return column !== '' && Object.hasOwn(row, column) ? textOf(row[column]).slice(0, LONGEST_NAME) : undefined;
}

/** With the lowest and the highest value, since there are no axes: `age (10 to 89)`. */
function withRange({ name, values }: Series): string {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? name : `${name} (${Math.min(...known)} to ${Math.max(...known)})`;
}

function inWords(names: readonly string[], values: readonly (number | undefined)[]): string {
  const parts = names.slice(0, MOST_IN_WORDS).map((name, at) => `${name} ${values[at] ?? '–'}`);
  return `${parts.join(', ')}${names.length > MOST_IN_WORDS ? ' …' : ''}`;
}
