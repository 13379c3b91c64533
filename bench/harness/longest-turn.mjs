// Loaded before a server: watches how much processor time the event loop takes from one turn to the next, and tells the greatest when asked.
// The loop never rests meanwhile.
import { performance } from 'node:perf_hooks';

/** In milliseconds. Waiting for a processor counts for the wall's clock only, and the collector's threads for the processor's. */
function moment() {
  const { user, system } = process.cpuUsage();
  return { wall: performance.now(), processor: (user + system) / 1000 };
}

let longest = 0;
let began = moment();
function note() {
  const now = moment();
  longest = Math.max(longest, Math.min(now.wall - began.wall, now.processor - began.processor));
  began = now;
}
function turn() {
  note();
  setImmediate(turn).unref();
}
turn();

process.on('message', (message) => {
  if (message !== 'longest turn') return;
  // The turn in which the last answer was sent may have come behind this one's look.
  note();
  process.send?.(longest);
  longest = 0;
});
