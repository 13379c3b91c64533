/** The figures that the Studio draws from the server's metrics. */
import { expect, it } from 'vitest';
import { formatBytes } from '../../studio/base/format-bytes.js';
import { FIGURES, type Reading, startOf } from '../../studio/views/server/figures.js';
import { parseMetrics, total } from '../../studio/views/server/metrics-text.js';

const reading = (at: number, text: string): Reading => ({ at, samples: parseMetrics(text) });
const figure = (title: string, now: Reading, before: Reading) =>
  FIGURES.find((one) => one.title === title)?.of(now, before);

it('reads samples with their labels, and leaves other lines out', () => {
  const samples = parseMetrics('# HELP a b\na 1.5\na{x="1 } \\"\\n",y="2"} +Inf\nnot a sample\n\nb{} NaN');
  expect(samples).toEqual([
    { name: 'a', labels: {}, value: 1.5 },
    { name: 'a', labels: { x: '1 } "\n', y: '2' }, value: Infinity },
    { name: 'b', labels: {}, value: NaN },
  ]);
  expect(total(samples, 'c')).toBeUndefined();
});

it('counts by the second over all doors, and starts over after a restart', () => {
  const text = (count: number, sum: number) =>
    ['rpc', 'sql']
      .map(
        (door) => `tessera_request_duration_seconds_count{door="${door}"} ${count}
tessera_request_duration_seconds_sum{door="${door}"} ${sum}`,
      )
      .join('\n');
  const [first, second] = [reading(1000, text(10, 1)), reading(3000, text(30, 2))];
  expect(figure('Requests', second, first)).toBe(20);
  expect(figure('Mean latency', second, first)).toBe(0.05);
  expect(figure('Mean latency', second, second)).toBeUndefined();
  expect(figure('Requests', reading(5000, text(3, 1)), second)).toBe(3);
  expect(figure('Conflicts', second, first)).toBe(0);
  expect(figure('Size of the store', second, first)).toBeUndefined();
});

it('reckons the start from the time that the server has run, whatever its clock says', () => {
  const first = reading(100_000, 'process_start_time_seconds 1\ntessera_uptime_seconds 40');
  expect(startOf(first, 1_000_000)).toBe(1_060_000);
  expect(startOf(reading(1, ''), 0)).toBeUndefined();
});

it('counts the asynchronous events that were given up', () => {
  const events = reading(1, 'tessera_async_events_total{outcome="ok"} 7\ntessera_async_events_total{outcome="lost"} 2');
  expect(figure('Asynchronous events given up', events, events)).toBe(2);
  expect(figure('Asynchronous events given up', reading(1, ''), events)).toBe(0);
});

it('writes sizes with their units', () => {
  expect([0, 1023, 1536, 5 * 1024 ** 3].map(formatBytes)).toEqual(['0 B', '1023 B', '1.5 KiB', '5.0 GiB']);
});
