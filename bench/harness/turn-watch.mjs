// Watches how much processor time the event loop takes from one turn to the next. It never rests meanwhile.
import { existsSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

/** On Linux: nanoseconds that the first thread, which is that of the event loop, has run, to some milliseconds. */
const THREAD = '/proc/self/schedstat';
const hasThreadTime = existsSync(THREAD);

/** In milliseconds. Waiting for a processor counts for the wall's clock only; elsewhere than on Linux the collector's threads count, too. */
function moment() {
  return { wall: performance.now(), processor: hasThreadTime ? threadTime() : processTime() };
}

function threadTime() {
  return Number.parseInt(readFileSync(THREAD, 'latin1'), 10) / 1e6;
}

function processTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

let longest = 0;
let began;
function note() {
  const now = moment();
  longest = Math.max(longest, Math.min(now.wall - began.wall, now.processor - began.processor));
  began = now;
}
function turn() {
  note();
  setImmediate(turn).unref();
}

/** Begins to watch this process. */
export function watchTurns() {
  began = moment();
  turn();
}

/** The longest turn since this was asked last, in milliseconds. */
export function longestTurn() {
  // The turn in which the last answer was sent may have come behind this one's look.
  note();
  const found = longest;
  longest = 0;
  return found;
}
