/** The figures that are drawn: each from what the server counts now, and what it had counted before. */
import { formatBytes } from '../../base/format-bytes.js';
import { type Sample, total } from './metrics-text.js';

/** What the server said at a time. */
export interface Reading {
  /** Milliseconds since the page was opened. */
  readonly at: number;
  readonly samples: readonly Sample[];
}

export interface Figure {
  readonly title: string;
  /** `undefined` where the server has no such figure, or none yet. */
  of(now: Reading, before: Reading): number | undefined;
  /** With its unit. */
  format(value: number): string;
}

const DURATION = 'tessera_request_duration_seconds';

const rate = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)}/s`;
const count = (value: number) => String(Math.round(value));
const milliseconds = (value: number) => `${(value * 1000).toFixed(1)} ms`;

export const FIGURES: readonly Figure[] = [
  {
    title: 'Requests',
    of: (now, before) => perSecond(now, before, `${DURATION}_count`),
    format: rate,
  },
  { title: 'Mean latency', of: meanLatency, format: milliseconds },
  { title: 'Memory', of: gauge('process_resident_memory_bytes'), format: formatBytes },
  { title: 'Event-loop delay (p99)', of: gauge('nodejs_eventloop_lag_p99_seconds'), format: milliseconds },
  { title: 'Signed-in sessions', of: gauge('tessera_sessions', { state: 'signed_in' }), format: count },
  { title: 'Live queries', of: gauge('tessera_live_queries'), format: count },
  { title: 'Size of the store', of: gauge('tessera_store_bytes'), format: formatBytes },
  {
    title: 'Conflicts',
    of: (now, before) => perSecond(now, before, 'tessera_transaction_conflicts_total'),
    format: rate,
  },
  {
    title: 'Asynchronous events given up',
    of: ({ samples }) => total(samples, 'tessera_async_events_total', { outcome: 'lost' }) ?? 0,
    format: count,
  },
];

function gauge(name: string, labels?: Readonly<Record<string, string>>): Figure['of'] {
  return ({ samples }) => total(samples, name, labels);
}

/** By how much a counter has grown. A counter that isn't there has counted nothing; after a restart it starts over. */
function growth(now: Reading, before: Reading, name: string): number {
  const [later, earlier] = [total(now.samples, name) ?? 0, total(before.samples, name) ?? 0];
  return later < earlier ? later : later - earlier;
}

function perSecond(now: Reading, before: Reading, name: string): number | undefined {
  const seconds = (now.at - before.at) / 1000;
  return seconds > 0 ? growth(now, before, name) / seconds : undefined;
}

function meanLatency(now: Reading, before: Reading): number | undefined {
  const requests = growth(now, before, `${DURATION}_count`);
  return requests === 0 ? undefined : growth(now, before, `${DURATION}_sum`) / requests;
}

/**
 * When the server was started, by the clock of the page: what the server says of it is wrong once its clock was set.
 * `origin` is the time of the page's `at` 0.
 */
export function startOf({ at, samples }: Reading, origin: number): number | undefined {
  const uptime = total(samples, 'tessera_uptime_seconds');
  return uptime === undefined ? undefined : origin + at - uptime * 1000;
}
