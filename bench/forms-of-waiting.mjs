// What four steps cost whose answers are there at once, by the form in which they are written (ADR 0042): nested `andThen`, generators that a loop
// drives, and `async`. Each form has many copies, called in turn, as a server runs many functions rather than one. Needs a build.
//
//     node bench/forms-of-waiting.mjs
import { performance } from 'node:perf_hooks';
import { andThen } from '../dist/base/promise-or-value.js';
import { readOptions } from '../scripts/options.mjs';

readOptions(
  `Prints the nanoseconds of four steps that needn't wait, by their form: least and most of five rounds. Needs a build.

  node bench/forms-of-waiting.mjs

  -h, --help          prints this`,
  { options: {} },
);

const COPIES = 64;
const CALLS = 500_000;

/** Drives a generator to its end. */
function drive(generator) {
  let step = generator.next();
  while (!step.done) step = generator.next(step.value);
  return step.value;
}

/** Functions of their own for each copy, so that no call site sees one function only. */
const FORMS = {
  'nested andThen': `const get = (x) => x + 1;
    return (x) => andThen(get(x), (a) => andThen(get(a), (b) => andThen(get(b), (c) => andThen(get(c), (d) => a + d))));`,
  'generator that yields promises only': `const get = (x) => x + 1;
    function* steps(x) {
      let a = get(x); if (a instanceof Promise) a = yield a;
      let b = get(a); if (b instanceof Promise) b = yield b;
      let c = get(b); if (c instanceof Promise) c = yield c;
      let d = get(c); if (d instanceof Promise) d = yield d;
      return a + d;
    }
    return (x) => drive(steps(x));`,
  'generator that yields each value': `const get = (x) => x + 1;
    function* steps(x) { const a = yield get(x); const b = yield get(a); const c = yield get(b); return a + (yield get(c)); }
    return (x) => drive(steps(x));`,
  async: `const get = (x) => x + 1;
    return async (x) => { const a = await get(x); const b = await get(a); const c = await get(b); return a + (await get(c)); };`,
};

for (const [name, body] of Object.entries(FORMS)) {
  const copies = Array.from({ length: COPIES }, () => new Function('andThen', 'drive', body)(andThen, drive));
  const rounds = [];
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    for (let call = 0; call < CALLS; call++) {
      const result = copies[call % COPIES](call);
      if (result instanceof Promise) await result;
    }
    rounds.push(((performance.now() - start) * 1e6) / CALLS);
  }
  console.log(`${name}: ${Math.min(...rounds).toFixed(0)} to ${Math.max(...rounds).toFixed(0)} ns`);
}
