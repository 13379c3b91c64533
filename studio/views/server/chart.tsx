/** A small chart of one figure over the last minutes. What it shows is also said in words. */
import { Text } from '@mantine/core';
import { Plot } from '../../components/plot.js';

interface Properties {
  readonly title: string;
  /** Oldest first; `undefined` where nothing is known. */
  readonly values: readonly (number | undefined)[];
  /** How many values fill the width. */
  readonly capacity: number;
  format(value: number): string;
}

export function Chart({ title, values, capacity, format }: Properties) {
  const known = values.filter((value) => value !== undefined);
  const last = values.at(-1);
  const now = last === undefined ? '–' : format(last);
  const highest = Math.max(0, ...known);
  const words =
    known.length === 0
      ? 'No values yet'
      : `Now ${now}, lowest ${format(Math.min(...known))}, highest ${format(highest)}`;
  // The newest value is at the right.
  const missing = Array.from({ length: Math.max(0, capacity - values.length) }, () => undefined);
  return (
    <figure className="chart">
      <figcaption>
        {title} <strong>{now}</strong>
      </figcaption>
      <Plot
        label={`${title}: ${words}`}
        kind="line"
        series={[{ name: title, values: [...missing, ...values] }]}
        width={240}
        height={56}
      />
      <Text span c="dimmed" size="sm">
        highest {known.length === 0 ? '–' : format(highest)}
      </Text>
    </figure>
  );
}
