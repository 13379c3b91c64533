// Full-text search beside the embedded peer, SQLite's FTS5 and MiniSearch, each in a process of its own, by processor time: indexing, adding,
// searching, counting, size. Prints which aims were met. Needs a build (`npm run build`).
//
//     node bench/search.mjs [--rounds 5] [--warm 0] [--sizes 20000,100000]
//         [--targets tessera,peer,sqlite,minisearch]
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readOptions } from '../scripts/options.mjs';
import { articles, wordOf } from './data/articles.mjs';
import { seededRandom } from './data/seeded-random.mjs';
import { openMiniSearch, openPeer, openSqlite, openTessera } from './search/targets.mjs';

const HELP = `
Usage: node bench/search.mjs [--rounds 5] [--warm 0] [--sizes 20000,100000] [--targets tessera,peer,sqlite,minisearch]

Full-text search beside the embedded peer, SQLite's FTS5 and MiniSearch, by processor time. The peer has the smaller table alone.
--warm: so many times each query is asked before it is measured. Needs a build (npm run build).
`;
const { values } = readOptions(HELP, {
  options: {
    rounds: { type: 'string', default: '5' },
    warm: { type: 'string', default: '0' },
    sizes: { type: 'string', default: '20000,100000' },
    targets: { type: 'string', default: 'tessera,peer,sqlite,minisearch' },
  },
});
const ROUNDS = Number(values.rounds);
const WARM = Number(values.warm);
const SIZES = values.sizes.split(',').map(Number);
const NAMES = values.targets.split(',');
const OPEN = { tessera: openTessera, peer: openPeer, sqlite: openSqlite, minisearch: openMiniSearch };
const [SMALL, LARGE] = [SIZES[0], SIZES.at(-1)];
/** Rows that are inserted one by one before inserting is measured again, once its code is compiled. */
const MANY_SINGLE = 5_000;

/** Microseconds of processor time of this process, with all of its threads. */
function processor() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

async function timed(work) {
  const began = processor();
  const answer = await work();
  return { time: processor() - began, answer };
}

const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];

/** Resolves when no work is left in the background. */
async function quiet() {
  for (let still = 0; still < 3; ) {
    const before = processor();
    await new Promise((resume) => setTimeout(resume, 100));
    still = processor() - before < 10_000 ? still + 1 : 0;
  }
}

/** Queries that are the same in each run: words by how frequent they are. */
const random = seededRandom(7);
const rank = (from, to) => wordOf(from + Math.floor(random() * (to - from)));
const QUERIES = Array.from({ length: 10 }, () => ({
  rare: [rank(8_000, 20_000)],
  all: [rank(10, 60), rank(40, 200)],
  any: [rank(10, 60), rank(60, 200), rank(200, 1_000)],
}));

const SEARCHES = {
  'rare word': ({ word }, { rare }) => word(rare),
  'AND of two, best 10': ({ bestOfAll }, { all }) => bestOfAll(all),
  'OR of three, best 10': ({ bestOfAny }, { any }) => bestOfAny(any),
  'count of OR': ({ countOfAny }, { any }) => countOfAny(any),
};

/** Figures by what was measured, target and rows. */
const figures = new Map();
const put = (what, name, rows, value) => figures.set(`${what}|${name}|${rows}`, value);
const get = (what, name, rows = SMALL) => figures.get(`${what}|${name}|${rows}`);

const micro = (value) =>
  value === undefined ? '–' : value >= 10_000 ? `${(value / 1_000).toFixed(1)} ms` : `${value.toFixed(1)} µs`;

const texts = [];
for (const text of articles(1)) {
  texts.push(text);
  if (texts.length === LARGE + 10_000) break;
}

/** Adds more than there was, in batches of several sizes; answers microseconds a row. */
async function adding(target, rows, count, batch) {
  let from = target.next ?? rows;
  target.next = from + count;
  const { time } = await timed(async () => {
    for (let at = 0; at < count; at += batch) {
      const first = (at % 10_000) + LARGE - 10_000;
      const some = texts.slice(first, first + batch);
      if (batch === 1) await target.addOne(from, some[0]);
      else await target.add(from, some);
      from += batch;
    }
  });
  return time / count;
}

/** All of one target with so many texts. */
async function measure(name, rows) {
  const target = await OPEN[name]();
  const own = texts.slice(0, rows);
  const length = own.reduce((sum, text) => sum + text.length, 0);
  const load = await timed(() => target.load(own));
  await quiet();
  const index = await timed(() => target.index());
  put('index', name, rows, index.time / rows);
  console.log(`${name}: loaded ${micro(load.time / rows)} a row, indexed ${micro(index.time / rows)} a row`);
  if (target.indexBytes) {
    put('size', name, rows, (await target.indexBytes()) / length);
    console.log(`${name}: index of ${get('size', name, rows).toFixed(3)} of the text`);
  }
  // Those that can are measured again, once their code is compiled.
  if (target.removeIndex) {
    await target.removeIndex();
    await quiet();
    const again = await timed(() => target.index());
    put('index, again', name, rows, again.time / rows);
    console.log(`${name}: indexed again ${micro(again.time / rows)} a row`);
  }
  await quiet();
  for (const [what, search] of Object.entries(SEARCHES)) {
    const times = [];
    for (let asked = 0; asked < WARM; asked++) for (const query of QUERIES) await search(target, query);
    for (let round = 0; round < ROUNDS; round++) {
      let done = 0;
      const began = processor();
      // Each query once, and again until that can be measured.
      do {
        for (const query of QUERIES) await search(target, query);
        done += QUERIES.length;
      } while (processor() - began < 200_000);
      times.push((processor() - began) / done);
    }
    put(what, name, rows, median(times));
    console.log(`${name}: ${what} ${micro(median(times))}`);
    if (what === 'count of OR' || what === 'rare word') put(`${what}, found`, name, rows, await found(search, target));
  }
  if (name === 'tessera') await measureBound(target, rows);
  const parts = [];
  if (name !== 'minisearch') await adding(target, rows, 300, 1);
  put('insert of one', name, rows, await adding(target, rows, 300, 1));
  parts.push(`insert of one ${micro(get('insert of one', name, rows))}`);
  if (target.removeIndex) {
    await adding(target, rows, MANY_SINGLE, 1);
    put('insert of one, again', name, rows, await adding(target, rows, 1_000, 1));
    parts.push(`insert of one, again ${micro(get('insert of one, again', name, rows))}`);
  }
  for (const batch of name === 'minisearch' ? [] : [50, 500, 2_000]) {
    for (const time of target.removeIndex ? ['', ', again'] : ['']) {
      await quiet();
      const each = await adding(target, rows, 4_000, batch);
      const later = (await timed(quiet)).time / 4_000;
      put(`rows, ${batch} at once${time}`, name, rows, each + later);
      parts.push(`${batch} at once${time} ${micro(each + later)} a row, ${micro(later)} of them later`);
    }
  }
  console.log(`${name}: ${parts.join(', ')}`);
  await target.close();
}

/** The cost of scores of visible rows, for users subject to PERMISSIONS. */
async function measureBound(tessera, rows) {
  await tessera.ask('DEFINE TABLE OVERWRITE article PERMISSIONS FOR select WHERE body != NONE');
  const guest = await tessera.guest();
  const search = SEARCHES['OR of three, best 10'];
  const { time } = await timed(async () => {
    for (const query of QUERIES) await search(guest, query);
  });
  await tessera.ask('DEFINE TABLE OVERWRITE article');
  const whole = get('OR of three, best 10', 'tessera', rows);
  const bound = time / QUERIES.length;
  console.log(
    `OR of three, best 10, by a user whom PERMISSIONS bind: ${micro(bound)}, ${(bound / whole).toFixed(0)} times as long`,
  );
}

/** How much all queries find. */
async function found(search, target) {
  let sum = 0;
  for (const query of QUERIES) {
    const answer = await search(target, query);
    sum += typeof answer === 'number' ? answer : answer.length;
  }
  return sum;
}

/** On disk, with each addition durable. */
async function measureDurable(name) {
  const target = await OPEN[name]('disk');
  await target.load(texts.slice(0, SMALL));
  await target.index();
  await quiet();
  await adding(target, SMALL, 100, 1);
  const times = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await adding(target, SMALL, 200, 1));
  put('durable insert of one', name, SMALL, median(times));
  await adding(target, SMALL, MANY_SINGLE, 1);
  put('durable insert of one, again', name, SMALL, await adding(target, SMALL, 1_000, 1));
  const again = micro(get('durable insert of one, again', name));
  console.log(`${name} on disk: insert of one ${micro(median(times))}, again ${again}`);
  await target.close();
}

/** Does one measurement in a process of its own, so that nothing of another target works beside it. */
function inProcess(...work) {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), process.argv.slice(2), {
      env: { ...process.env, SEARCH_WORK: JSON.stringify(work) },
    });
    child.on('message', (message) => {
      for (const [what, value] of message) figures.set(what, value);
    });
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${work} has failed`))));
  });
}

if (process.env['SEARCH_WORK'] !== undefined) {
  const [name, rows] = JSON.parse(process.env['SEARCH_WORK']);
  await (rows === undefined ? measureDurable(name) : measure(name, rows));
  process.send([...figures], () => process.exit(0));
  await new Promise(() => {});
}

for (const rows of SIZES) {
  const names = NAMES.filter((name) => name !== 'peer' || rows === SMALL);
  console.log(`\n${rows} texts\n`);
  for (const name of names) await inProcess(name, rows);
  for (const what of ['count of OR, found', 'rare word, found']) {
    const all = new Set(names.map((name) => get(what, name, rows)));
    if (all.size > 1) throw new Error(`${what}: ${[...all].join(', ')}`);
  }
}
for (const name of NAMES.filter((each) => each === 'tessera' || each === 'sqlite')) await inProcess(name);

const ours = (what, rows) => get(what, 'tessera', rows);
const over = (what, other, rows = SMALL) => get(what, other, rows) / ours(what, rows);
const AIMS = [
  ['index an existing table beside the peer', () => over('index', 'peer'), '≥', 10],
  ['index an existing table beside FTS5', () => over('index', 'sqlite'), '≥', 0.6],
  ['… again', () => over('index, again', 'sqlite'), '≥', 0.6],
  ['… of the larger table', () => over('index', 'sqlite', LARGE), '≥', 0.6],
  ['insert of one beside the peer', () => over('insert of one', 'peer'), '≥', 8],
  ['… again', () => get('insert of one', 'peer') / ours('insert of one, again', SMALL), '≥', 8],
  ['durable insert of one, as times FTS5', () => 1 / over('durable insert of one', 'sqlite'), '≤', 1.5],
  ['… again', () => 1 / over('durable insert of one, again', 'sqlite'), '≤', 1.5],
  ['500 rows at once, with what comes later, µs a row', () => ours('rows, 500 at once', SMALL), '≤', 60],
  ['… again', () => ours('rows, 500 at once, again', SMALL), '≤', 60],
  ...['', ', again'].flatMap((time) => [
    [
      `… of a table five times as large, as times${time}`,
      () => ours(`rows, 500 at once${time}`, LARGE) / ours(`rows, 500 at once${time}`, SMALL),
      '≤',
      1.3,
    ],
    [
      `… 2,000 at once, as times 50 at once${time}`,
      () => ours(`rows, 2000 at once${time}`, SMALL) / ours(`rows, 50 at once${time}`, SMALL),
      '≤',
      1.3,
    ],
  ]),
  ['rare word beside the peer', () => over('rare word', 'peer'), '≥', 12],
  ['AND of two, best 10 beside the peer', () => over('AND of two, best 10', 'peer'), '≥', 80],
  ['AND of two, best 10 beside FTS5', () => over('AND of two, best 10', 'sqlite'), '≥', 1],
  ['OR of three, best 10 beside the peer', () => over('OR of three, best 10', 'peer'), '≥', 200],
  ['OR of three, best 10 beside FTS5', () => over('OR of three, best 10', 'sqlite'), '≥', 5],
  [
    'OR of three, of the larger table as times',
    () => ours('OR of three, best 10', LARGE) / ours('OR of three, best 10', SMALL),
    '≤',
    4,
  ],
  ['count of OR beside the peer', () => over('count of OR', 'peer'), '≥', 70],
  ['size beside the text', () => ours('size', SMALL), '≤', 0.4],
];
console.log('');
for (const [what, value, sign, bound] of AIMS) {
  const found = value();
  if (!Number.isFinite(found)) continue;
  const isMet = sign === '≥' ? found >= bound : found <= bound;
  console.log(`${isMet ? 'met    ' : 'NOT met'} ${what}: ${found.toFixed(2)} (${sign} ${bound})`);
}
