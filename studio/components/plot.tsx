/** Draws numbers as lines or bars, from the left to the right. What they are is said in words by `label`. */

export interface Series {
  readonly name: string;
  /** `undefined` where nothing is known. */
  readonly values: readonly (number | undefined)[];
}

/** Colours that differ; series and slices beyond share them. */
export const COLOURS = 6;

interface Properties {
  readonly label: string;
  readonly kind: 'line' | 'bar';
  readonly series: readonly Series[];
  /** In pixels where it is drawn at its own size. */
  readonly width: number;
  readonly height: number;
}

export function Plot({ label, kind, series, width, height }: Properties) {
  const scale = scaleOf(series, height);
  const Shape = kind === 'line' ? Lines : Bars;
  return (
    <svg className="plot" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <line x1="0" y1={scale(0)} x2={width} y2={scale(0)} />
      {series.map((one, at) => (
        <g key={one.name} className={`series-${at % COLOURS}`}>
          <Shape series={one} at={at} of={series.length} width={width} scale={scale} />
        </g>
      ))}
    </svg>
  );
}

type Scale = (value: number) => number;

/** Where values are drawn: zero is always in sight. */
function scaleOf(series: readonly Series[], height: number): Scale {
  let lowest = 0;
  let highest = 0;
  for (const { values } of series) {
    for (const value of values) {
      lowest = Math.min(lowest, value ?? 0);
      highest = Math.max(highest, value ?? 0);
    }
  }
  const span = highest - lowest || 1;
  return (value) => height - 1 - ((value - lowest) / span) * (height - 5);
}

interface ShapeProperties {
  readonly series: Series;
  /** Its place among the series. */
  readonly at: number;
  readonly of: number;
  readonly width: number;
  readonly scale: Scale;
}

/** A line for each stretch without gaps. */
function Lines({ series: { values }, width, scale }: ShapeProperties) {
  const step = width / Math.max(1, values.length - 1);
  const stretches: string[][] = [[]];
  values.forEach((value, at) => {
    if (value === undefined) stretches.push([]);
    else stretches.at(-1)?.push(`${(at * step).toFixed(1)},${scale(value).toFixed(1)}`);
  });
  return stretches
    .filter((points) => points.length > 1)
    .map((points) => <polyline key={points[0]} points={points.join(' ')} />);
}

/** The bars of several series stand beside each other. */
function Bars({ series: { name, values }, at, of, width, scale }: ShapeProperties) {
  const step = width / values.length;
  const thickness = (step * 0.8) / of;
  const ground = scale(0);
  return values.map((value, place) => {
    if (value === undefined) return null;
    const y = scale(value);
    return (
      <rect
        key={place}
        x={place * step + step * 0.1 + at * thickness}
        y={Math.min(y, ground)}
        width={thickness}
        height={Math.abs(y - ground)}
      >
        <title>{`${name}: ${value}`}</title>
      </rect>
    );
  });
}
