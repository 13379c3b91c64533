// What is measured, and how it is written. A new figure is a new line here.

/** @typedef {'duration' | 'bytes' | 'rate' | 'ratio'} Unit */

/** Less is better, unless `more` is set. @type {Record<string, {unit: Unit, title: string, more?: boolean}>} */
export const FIGURES = {
  time: { unit: 'duration', title: 'time' },
  processor: { unit: 'duration', title: 'processor time' },
  ready: { unit: 'duration', title: 'until ready' },
  p50: { unit: 'duration', title: 'median latency' },
  p99: { unit: 'duration', title: '99% of latencies' },
  memory: { unit: 'bytes', title: 'memory' },
  disk: { unit: 'bytes', title: 'disk' },
  rate: { unit: 'rate', title: 'a second', more: true },
  growth: { unit: 'ratio', title: 'growth' },
};

const DURATIONS = [
  [1e3, 1, 'ns'],
  [1e6, 1e3, 'µs'],
  [1e9, 1e6, 'ms'],
  [Number.POSITIVE_INFINITY, 1e9, 's'],
];
/** Three digits that mean something. */
const digits = (number) => (number >= 100 ? number.toFixed(0) : number >= 10 ? number.toFixed(1) : number.toFixed(2));

/** @type {Record<Unit, (number: number) => string>} */
const WRITTEN = {
  duration: (nanoseconds) => {
    const [, one, unit] = DURATIONS.find(([below]) => nanoseconds < below);
    return `${digits(nanoseconds / one)} ${unit}`;
  },
  bytes: (bytes) => (bytes < 1e4 ? `${bytes.toFixed(0)} B` : `${digits(bytes / 1024)} KiB`),
  rate: (rate) => `${Math.round(rate).toLocaleString('en')} /s`,
  ratio: (ratio) => `${digits(ratio)} ×`,
};

/** @param {string} figure @param {number} value */
export const written = (figure, value) => WRITTEN[FIGURES[figure].unit](value);
export const writtenRatio = WRITTEN.ratio;
