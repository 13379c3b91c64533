// What a search costs a user who may see 100 of 20,000 rows, by a rule that an index answers: processor time, in process. Needs a build
// (`npm run build`).
//
//     node bench/search-rules.mjs [--rounds 5] [--rows 20000] [--build ../before --build .]
import { readOptions } from '../scripts/options.mjs';
import { articles, wordOf } from './data/articles.mjs';
import { tessera } from './harness/build.mjs';
import { inTurns } from './harness/in-turns.mjs';
import { median } from './harness/statistics.mjs';

const { values } = readOptions(
  `What a search costs a user who may see few of a table's rows. Needs a build.

  node bench/search-rules.mjs [options]

  --rounds N      in each of which every build has a fresh database (5)
  --rows N        in the table (20000)
  --build DIR     another build: a checkout with dist; given several times, they take turns
  -h, --help      prints this`,
  {
    options: {
      rounds: { type: 'string', default: '5' },
      rows: { type: 'string', default: '20000' },
      build: { type: 'string', multiple: true, default: ['.'] },
    },
  },
);
const ROWS = Number(values.rows);
const PLACE = { NS: 'bench', DB: 'bench' };
/** Of a row's owner; each has as many. */
const OWNERS = ROWS / 100;
const STATEMENT = 1_000;
const [WARM, MEASURED] = [30, 30];

const SCHEMA = `
  DEFINE TABLE user; DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNUP (CREATE ONLY user:0 SET name = $name);
  DEFINE ANALYZER simple TOKENIZERS blank, class FILTERS lowercase, ascii;
  DEFINE TABLE note PERMISSIONS FOR select WHERE owner = $auth.id;
  DEFINE INDEX of_owner ON note FIELDS owner;
  DEFINE INDEX of_body ON note FIELDS body FULLTEXT ANALYZER simple BM25;`;

/** By how many rows they are in: most, a third, a fiftieth. */
const WORDS = { frequent: wordOf(0), middle: wordOf(12), rare: wordOf(300) };
const QUESTIONS = {
  'best 10': (word) =>
    `SELECT *, search::score(1) AS score FROM note WHERE body @1@ '${word}' ORDER BY score DESC LIMIT 10`,
  count: (word) => `SELECT count() FROM note WHERE body @@ '${word}' GROUP ALL`,
};

/** Microseconds for each question, by its name. */
async function measure() {
  const { Tessera } = await tessera('embedded/index');
  const db = await Tessera.open('memory');
  await db.use(PLACE.NS, PLACE.DB);
  await db.query(SCHEMA);
  const texts = articles(7);
  for (let from = 0; from < ROWS; from += STATEMENT) {
    const rows = Array.from({ length: STATEMENT }, (_, at) => ({
      body: texts.next().value,
      owner: (from + at) % OWNERS,
    }));
    const statement = `INSERT INTO note (SELECT body, type::record('user', owner) AS owner FROM $rows) RETURN NONE`;
    await db.query(statement, { rows });
  }
  const user = db.session();
  await user.use(PLACE.NS, PLACE.DB);
  await user.signUp({ ...PLACE, AC: 'account', name: 'one' });
  const found = {};
  for (const [kind, word] of Object.entries(WORDS)) {
    const [[matching]] = await db.query(QUESTIONS.count(word));
    for (const [name, question] of Object.entries(QUESTIONS)) {
      for (let n = 0; n < WARM; n++) await user.query(question(word));
      const times = [];
      for (let n = 0; n < MEASURED; n++) {
        const before = process.cpuUsage();
        await user.query(question(word));
        const { user: own, system } = process.cpuUsage(before);
        times.push(own + system);
      }
      found[`${name}, ${kind} word (in ${matching.count} rows)`] = median(times);
    }
  }
  await db.close();
  return found;
}

const variants = await inTurns({ builds: values.build, rounds: Number(values.rounds) }, measure);
for (const { name, measured } of variants) {
  console.log(name);
  for (const question of Object.keys(measured[0])) {
    console.log(`  ${question}: ${Math.round(median(measured.map((each) => each[question])))} µs`);
  }
}
