// Calls every built-in function with as much as it takes (`FunctionRow.largest`), times its steps from one checkpoint to the next, and prints
// those that hold the event loop for longer than a bound. Needs a build (`npm run build`).
//
//     node bench/steps.mjs [milliseconds=5] [names=.*]
import { performance } from 'node:perf_hooks';
import { realEnvironment } from '../dist/env/real.js';
import { functionCaller } from '../dist/functions/calls/call.js';
import { ANY_INPUT, MAX_INPUT } from '../dist/functions/calls/input-limit.js';
import { FUNCTIONS } from '../dist/functions/registry.js';
import { Closure, Datetime, Geometry, newObject, SetValue } from '../dist/value/value.js';
import { readOptions } from '../scripts/options.mjs';

const HELP = `Prints the built-in functions that hold the event loop for longer than a bound, with all that each may be given. Needs a build.

  node bench/steps.mjs [MILLISECONDS] [NAMES]

MILLISECONDS is the bound (5), NAMES a regular expression for the functions that are called (.*).

  -h, --help   prints this`;
const { positionals } = readOptions(HELP, { allowPositionals: true });
const bound = Number(positionals[0] ?? 5);
const names = new RegExp(positionals[1] ?? '.*');

/** Those that wait for other processes, or whose work doesn't depend on the size of their arguments. */
const WAITING = /^(sleep|http::|rand::|crypto::(argon2|bcrypt|pbkdf2|scrypt)|api::|sequence::)/;
const ROUNDS = 3;
/** No input is larger: functions that take more than this work in steps, which don't grow with it. */
const LARGEST = 2 ** 19;

const seeded = (seed) => () => {
  seed = (seed * 1103515245 + 12345) & 0x7fffffff;
  return seed;
};
const repeated = (text, length) => {
  const whole = text.repeat(Math.ceil(length / text.length)).slice(0, length);
  // Makes one piece of what is a tree of pieces.
  Number(whole);
  return whole;
};

const texts = (length) => [
  repeated('Lorem ipsum dolor, <b>sit</b> "amet" ', length),
  repeated('Über größe naïve Ж 你好 ', length),
  repeated('a', length),
  repeated(' ', length),
];
const allTexts = (length) => remembered('texts', length, texts);
const arrays = (length) => remembered('arrays', length, makeArrays);
const makeArrays = (length) => {
  const random = seeded(1);
  return [
    Array.from({ length }, random),
    Array.from({ length }, () => `text ${random() % length}`),
    Array.from({ length }, () => random() + 0.5),
  ];
};
const objectOf = (length) => {
  const random = seeded(2);
  const object = newObject();
  for (let at = 0; at < length; at++) object[`k${random() % (4 * length)}`] = at;
  return object;
};
const points = (length) =>
  new Geometry({ type: 'MultiPoint', coordinates: Array.from({ length }, (_, at) => [at % 180, at % 90]) });
const base64 = (length) => 'TWFu'.repeat(length / 4);

/** Texts of a certain form, by the functions that want them. */
const FORMS = [
  [/base64/, (length) => [base64(length & ~3)]],
  [/json::decode/, (length) => [`[${'1,'.repeat(length / 2 - 1)}1]`, `[${'{},'.repeat((length - 4) / 3)}1]`]],
  [/^parse::url|is_url/, (length) => [`http://a.b/?${repeated('x/', length - 12)}`]],
  [/email/, (length) => [`${repeated('x.', length - 4)}a@b`]],
  [/html/, (length) => [...texts(length), repeated('<b>', length), repeated('<a href="http://x.y/z">z</a>', length)]],
];

const made = new Map();
/** The same inputs serve all functions. */
function remembered(kind, size, make) {
  const key = `${kind} ${size}`;
  if (!made.has(key)) made.set(key, make(size));
  return made.get(key);
}

/** What a parameter may be given, so that all of it has the size. */
function given({ type }, name, size) {
  switch (type.kind) {
    case 'string':
      return (FORMS.find(([pattern]) => pattern.test(name))?.[1] ?? allTexts)(size);
    case 'array':
      if (type.item?.kind === 'datetime') return [Array.from({ length: size }, (_, at) => new Datetime(at, 0))];
      if (name === 'object::from_entries') return [Array.from({ length: size }, (_, at) => [`k${at}`, at])];
      return type.item?.kind === 'number' ? arrays(size).filter(([first]) => typeof first === 'number') : arrays(size);
    case 'set':
      return [new SetValue(Array.from({ length: size }, (_, at) => at))];
    case 'bytes':
      return [new Uint8Array(size).fill(1)];
    case 'object':
      return [objectOf(size)];
    case 'geometry':
      return [points(size)];
    case 'any':
      return [...arrays(size).slice(0, 2), texts(size)[0], ...(size <= 2 ** 14 ? [objectOf(size)] : [])];
    default:
      return [undefined];
  }
}

/** What the other parameters get. */
const SMALL = {
  string: 'o',
  array: [],
  set: new SetValue([]),
  bytes: new Uint8Array(0),
  object: newObject(),
  function: new Closure('|x| x', (x) => x),
  int: 2,
  number: 50,
  float: 50,
  bool: true,
  any: 'x',
  none: undefined,
};

/** In milliseconds. Whatever else the machine does counts for the wall's clock only, and what helps the collector for the processor's. */
const moment = () => {
  const { user, system } = process.cpuUsage();
  return { wall: performance.now(), processor: (user + system) / 1000 };
};
let began = moment();
let longest = 0;
const checkpoint = () => {
  const now = moment();
  longest = Math.max(longest, Math.min(now.wall - began.wall, now.processor - began.processor));
  began = now;
};
const context = {
  environment: realEnvironment,
  session: newObject(),
  passwords: { hash: async () => '', verify: async () => true },
  functions: undefined,
  call: (closure, args) => closure.implementation(...args),
  readRecord: () => undefined,
  hasRecord: () => false,
  nextNumber: () => 0,
  hasTable: () => true,
  hasAnalyzer: () => false,
  check: () => {},
  checkpoint,
};

/** The arguments of a call that is as large as it may be: all in the first, or shared by the first two of a kind. */
function* calls({ name, parameters, largest = MAX_INPUT }) {
  const [first, second] = parameters;
  if (first === undefined || largest === ANY_INPUT) return;
  const size = Math.min(largest, LARGEST) - 8;
  const rest = parameters.slice(1).map(({ type }) => SMALL[type.kind]);
  for (const value of given(first, name, size)) yield [value, ...rest];
  if (second === undefined || second.type.kind !== first.type.kind || second.type.kind === 'any') return;
  const others = parameters.slice(2).map(({ type }) => SMALL[type.kind]);
  const half = size >> 1;
  for (const a of given(first, name, half)) {
    for (const b of given(second, name, half)) yield [a, b, ...others];
    break;
  }
}

const slow = [];
for (const row of FUNCTIONS) {
  if (WAITING.test(row.name) || !names.test(row.name)) continue;
  const call = functionCaller(row, row.name);
  for (const args of calls(row)) {
    let best = Number.POSITIVE_INFINITY;
    let outcome = '';
    for (let round = 0; round < ROUNDS; round++) {
      longest = 0;
      began = moment();
      try {
        await call(args, context);
      } catch (error) {
        outcome = String(error.code);
      }
      checkpoint();
      best = Math.min(best, longest);
      if (best <= bound) break;
    }
    if (best > bound) slow.push({ step: best, name: row.name, given: String(args[0]).slice(0, 24), outcome });
  }
}
slow.sort((a, b) => b.step - a.step);
for (const { step, name, given: what, outcome } of slow)
  console.log(`${step.toFixed(1).padStart(8)} ms  ${name}  ${what}  ${outcome}`);
console.log(`${slow.length} calls with a step of more than ${bound} ms`);
