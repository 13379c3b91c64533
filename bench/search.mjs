// Full-text search beside the embedded peer, SQLite's FTS5 and MiniSearch, all in this process and in turns, by processor time: indexing, adding,
// searching, counting, size. Prints which aims were met. Needs a build (`npm run build`).
//
//     node bench/search.mjs [--rounds 5] [--sizes 20000,100000] [--targets tessera,peer,sqlite,minisearch]
import { readOptions } from '../scripts/options.mjs';
import { articles, seededRandom, wordOf } from './data/articles.mjs';
import { openMiniSearch, openPeer, openSqlite, openTessera } from './search/targets.mjs';

const HELP = `
Usage: node bench/search.mjs [--rounds 5] [--sizes 20000,100000] [--targets tessera,peer,sqlite,minisearch]

Full-text search beside the embedded peer, SQLite's FTS5 and MiniSearch, by processor time. The peer has the smaller table alone.
Needs a build (npm run build).
`;
const { values } = readOptions(HELP, {
  options: {
    rounds: { type: 'string', default: '5' },
    sizes: { type: 'string', default: '20000,100000' },
    targets: { type: 'string', default: 'tessera,peer,sqlite,minisearch' },
  },
});
const ROUNDS = Number(values.rounds);
const SIZES = values.sizes.split(',').map(Number);
const NAMES = values.targets.split(',');
const OPEN = { tessera: openTessera, peer: openPeer, sqlite: openSqlite, minisearch: openMiniSearch };
const [SMALL, LARGE] = [SIZES[0], SIZES.at(-1)];

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

/** Until nothing works in the background any more. */
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
      const some = texts.slice((at % 10_000) + LARGE - 10_000).slice(0, batch);
      if (batch === 1) await target.addOne(from, some[0]);
      else await target.add(from, some);
      from += batch;
    }
  });
  return time / count;
}

for (const rows of SIZES) {
  const names = NAMES.filter((name) => name !== 'peer' || rows === SMALL);
  const targets = new Map();
  const own = texts.slice(0, rows);
  const length = own.reduce((sum, text) => sum + text.length, 0);
  console.log(`\n${rows} texts of ${(length / rows).toFixed(0)} bytes\n`);
  for (const name of names) {
    const target = await OPEN[name]();
    targets.set(name, target);
    const load = await timed(() => target.load(own));
    await quiet();
    const index = await timed(() => target.index());
    put('load', name, rows, load.time / rows);
    put('index', name, rows, index.time / rows);
    console.log(`${name}: loaded ${micro(load.time / rows)} a row, indexed ${micro(index.time / rows)} a row`);
    if (target.indexBytes) {
      put('size', name, rows, (await target.indexBytes()) / length);
      console.log(`${name}: index of ${get('size', name, rows).toFixed(3)} of the text`);
    }
  }
  await quiet();
  for (const [what, search] of Object.entries(SEARCHES)) {
    const times = new Map(names.map((name) => [name, []]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, target] of targets) {
        let done = 0;
        const began = processor();
        // Each query once, and again until that can be measured.
        do {
          for (const query of QUERIES) await search(target, query);
          done += QUERIES.length;
        } while (processor() - began < 50_000);
        times.get(name).push((processor() - began) / done);
      }
    }
    for (const name of names) put(what, name, rows, median(times.get(name)));
    console.log(`${what}: ${names.map((name) => `${name} ${micro(get(what, name, rows))}`).join(', ')}`);
    if (what === 'count of OR' || what === 'rare word') await demandSame(what, search, targets);
  }
  if (targets.has('tessera')) await measureBound(targets.get('tessera'), rows);
  for (const [name, target] of targets) {
    const one = await adding(target, rows, 300, 1);
    put('insert of one', name, rows, one);
    const parts = [`insert of one ${micro(one)}`];
    for (const batch of name === 'minisearch' ? [] : [50, 500, 2_000]) {
      await quiet();
      const each = await adding(target, rows, 2_000, batch);
      put(`rows, ${batch} at once`, name, rows, each);
      const folded = await timed(quiet);
      parts.push(`${batch} at once ${micro(each)} a row (${micro(folded.time / 2_000)} more later)`);
    }
    console.log(`${name}: ${parts.join(', ')}`);
    await target.close();
  }
}

/** What those whom PERMISSIONS bind pay for scores of rows that they may see. */
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

async function demandSame(what, search, targets) {
  for (const query of QUERIES) {
    const answers = new Map();
    for (const [name, target] of targets) {
      const answer = await search(target, query);
      answers.set(name, typeof answer === 'number' ? answer : answer.length);
    }
    if (new Set(answers.values()).size > 1)
      throw new Error(`${what} of ${JSON.stringify(query)}: ${JSON.stringify([...answers])}`);
  }
}

// On disk, with each addition durable.
for (const name of NAMES.filter((each) => each === 'tessera' || each === 'sqlite')) {
  const target = await OPEN[name]('disk');
  await target.load(texts.slice(0, SMALL));
  await target.index();
  await quiet();
  await adding(target, SMALL, 100, 1);
  const times = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await adding(target, SMALL, 200, 1));
  put('durable insert of one', name, SMALL, median(times));
  console.log(`${name} on disk: insert of one ${micro(median(times))}`);
  await target.close();
}

const ours = (what, rows) => get(what, 'tessera', rows);
const over = (what, other, rows = SMALL) => get(what, other, rows) / ours(what, rows);
const AIMS = [
  ['index an existing table beside the peer', () => over('index', 'peer'), '≥', 10],
  ['index an existing table beside FTS5', () => over('index', 'sqlite'), '≥', 0.6],
  ['insert of one beside the peer', () => over('insert of one', 'peer'), '≥', 8],
  ['durable insert of one, as times FTS5', () => 1 / over('durable insert of one', 'sqlite'), '≤', 1.5],
  ['500 rows at once, µs a row', () => ours('rows, 500 at once', SMALL), '≤', 60],
  [
    '… of a table five times as large, as times',
    () => ours('rows, 500 at once', LARGE) / ours('rows, 500 at once', SMALL),
    '≤',
    1.3,
  ],
  [
    '… 2,000 at once, as times 50 at once',
    () => ours('rows, 2000 at once', SMALL) / ours('rows, 50 at once', SMALL),
    '≤',
    1.3,
  ],
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
