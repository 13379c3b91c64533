// What is measured, row by row, and how it is shown.
import { median } from '../harness/statistics.mjs';

/**
 * Repetitions of the same work: how many connections ask, how many requests there are, and how many come before the first
 * round that aren't measured.
 */
export const ROWS = {
  health: { title: 'smallest request', work: 'health', clients: 16, requests: 4_000, warmUp: 4_000 },
  read: { title: 'read by id, own', work: 'read', clients: 16, requests: 3_000, warmUp: 6_000 },
  list: { title: 'list of 20 own, filtered, newest first', work: 'list', clients: 16, requests: 1_500, warmUp: 3_000 },
  linked: { title: 'the same with owner and tags', work: 'linked', clients: 16, requests: 800, warmUp: 1_500 },
  create: { title: 'create durably, one client', work: 'create', clients: 1, requests: 500, warmUp: 0 },
  create16: { title: 'create durably, 16 clients', work: 'create', clients: 16, requests: 1_500, warmUp: 6_000 },
  update: { title: 'update durably, one client', work: 'update', clients: 1, requests: 500, warmUp: 0 },
  update16: { title: 'update durably, 16 clients', work: 'update', clients: 16, requests: 1_500, warmUp: 6_000 },
};

/** Work that comes right before each measurement, not measured: others had their turns meanwhile, and what lay idle isn't hot. */
export const REHEAT = { clients: 16, requests: 1_000 };

/** The first requests of a process on a filled store. */
export const COLD = { title: 'the first 500 creates of a process', work: 'create', clients: 1, requests: 500 };

/** Behind a pause: no warm-up, and no more than come before all is warm again. */
export const PAUSED = {
  pausedRead: { title: 'read by id', work: 'read', clients: 1, requests: 300 },
  pausedCreate: { title: 'create durably', work: 'create', clients: 1, requests: 300 },
  pausedUpdate: { title: 'update durably', work: 'update', clients: 1, requests: 300 },
};

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
/** Milliseconds: with two digits at least. */
const milliseconds = (time) => (time < 10 ? time.toFixed(time < 1 ? 2 : 1) : whole.format(time));
const middle = (figures, name) => median(figures.map((each) => each[name]));

const requests = (figures) => {
  const [processor, p50, p99, rate] = ['processor', 'p50', 'p99', 'rate'].map((name) => middle(figures, name));
  return `${whole.format(processor)} µs; ${milliseconds(p50)}, ${milliseconds(p99)} ms; ${whole.format(rate)}/s`;
};
const once = (figures) =>
  `${whole.format(middle(figures, 'time'))} ms; ${whole.format(middle(figures, 'processor') / 1_000)} ms`;
const memory = (figures) => ['own', 'files'].map((part) => `${whole.format(middle(figures, part))} MiB`).join('; ');
const start = (figures) => `${whole.format(middle(figures, 'time'))} ms`;

/** A table of Markdown. @param {Map<string, Record<string, object[]>>} results  rounds of each row, by system */
export function tableOf(results) {
  const titles = [...results.keys()];
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const row = (name, title, show) => {
    const cells = [...results.values()].map((rows) => (rows[name] === undefined ? '–' : show(rows[name])));
    return cells.every((cell) => cell === '–') ? [] : [line([title, ...cells])];
  };
  return [
    line(['', ...titles]),
    line(['---', ...titles.map(() => '---')]),
    ...Object.entries(ROWS).flatMap(([name, { title }]) => row(name, title, requests)),
    ...row('cold', COLD.title, requests),
    ...Object.entries(PAUSED).flatMap(([name, { title }]) => row(name, `behind a pause: ${title}`, requests)),
    ...row('bulk', 'bulk of 20,000, processor time', once),
    ...row('bulk', 'memory then: own, and of files', memory),
    ...row('start', 'start to first answer, empty', start),
  ].join('\n');
}

/** In which rows the first system isn't the best, by processor time, latency, and time of what happens once. */
export function lossesOf(results) {
  const [[first, own], ...others] = results;
  const losses = [];
  for (const [name, figures] of Object.entries(own)) {
    for (const measure of ['processor', 'p50', 'p99', 'time'].filter((each) => figures[0][each] !== undefined)) {
      const mine = middle(figures, measure);
      const better = others
        .filter(([, rows]) => rows[name] !== undefined && middle(rows[name], measure) < mine)
        .map(([title, rows]) => `${title} (${(middle(rows[name], measure) / mine).toFixed(2)})`);
      if (better.length > 0) losses.push(`${name}, ${measure}: less than ${first} in ${better.join(', ')}`);
    }
  }
  return losses;
}
