/** Parts of a whole as a pie. What they are is said in words by `label`. */
import { COLOURS } from './plot.js';

interface Properties {
  readonly label: string;
  readonly parts: readonly { readonly name: string; readonly value: number }[];
}

const RADIUS = 60;

export function Pie({ label, parts }: Properties) {
  const whole = parts.reduce((sum, { value }) => sum + value, 0);
  let before = 0;
  return (
    <svg
      className="plot pie"
      viewBox={`${-RADIUS} ${-RADIUS} ${2 * RADIUS} ${2 * RADIUS}`}
      role="img"
      aria-label={label}
    >
      {parts.map(({ name, value }, at) => {
        const from = before / whole;
        before += value;
        return (
          <path key={at} className={`slice series-${at % COLOURS}`} d={slice(from, before / whole)}>
            <title>{`${name}: ${value}`}</title>
          </path>
        );
      })}
    </svg>
  );
}

/** From and to are parts of the whole; an arc that ends where it begins would be none, so the whole falls short of it. */
function slice(from: number, to: number): string {
  const end = Math.min(to, from + 0.9999);
  const isLarge = end - from > 0.5 ? 1 : 0;
  return `M0,0 L${point(from)} A${RADIUS},${RADIUS} 0 ${isLarge} 1 ${point(end)} Z`;
}

function point(part: number): string {
  const angle = 2 * Math.PI * part;
  return `${(RADIUS * Math.sin(angle)).toFixed(3)},${(-RADIUS * Math.cos(angle)).toFixed(3)}`;
}
