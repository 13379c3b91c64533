/** A small chart of one figure over the last minutes. What it shows is also said in words. */
import { Text } from '@mantine/core';

interface Properties {
  readonly title: string;
  /** Oldest first; `undefined` where nothing is known. */
  readonly values: readonly (number | undefined)[];
  /** How many values fill the width. */
  readonly capacity: number;
  format(value: number): string;
}

const WIDTH = 240;
const HEIGHT = 56;

export function Chart({ title, values, capacity, format }: Properties) {
  const known = values.filter((value) => value !== undefined);
  const last = values.at(-1);
  const now = last === undefined ? '–' : format(last);
  const highest = Math.max(0, ...known);
  const words =
    known.length === 0
      ? 'No values yet'
      : `Now ${now}, lowest ${format(Math.min(...known))}, highest ${format(highest)}`;
  return (
    <figure className="chart">
      <figcaption>
        {title} <strong>{now}</strong>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}: ${words}`}>
        <line x1="0" y1={HEIGHT - 1} x2={WIDTH} y2={HEIGHT - 1} />
        {pathsOf(values, capacity, highest).map((points) => (
          <polyline key={points} points={points} />
        ))}
      </svg>
      <Text span c="dimmed" size="sm">
        highest {known.length === 0 ? '–' : format(highest)}
      </Text>
    </figure>
  );
}

/** The lines of a chart: one for each stretch without gaps. The newest value is at the right. */
function pathsOf(values: readonly (number | undefined)[], capacity: number, highest: number): string[] {
  const step = WIDTH / Math.max(1, capacity - 1);
  const stretches: string[][] = [[]];
  values.forEach((value, at) => {
    if (value === undefined) {
      stretches.push([]);
      return;
    }
    const x = WIDTH - (values.length - 1 - at) * step;
    const y = HEIGHT - 2 - (highest === 0 ? 0 : (value / highest) * (HEIGHT - 6));
    stretches.at(-1)?.push(`${x.toFixed(1)},${y.toFixed(1)}`);
  });
  return stretches.filter((points) => points.length > 1).map((points) => points.join(' '));
}
