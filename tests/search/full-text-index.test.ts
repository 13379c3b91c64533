/** Full-text indexes against a reference of some twenty lines, over collections that change at random. */
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { PromiseOrValue } from '../../src/base/promise-or-value.js';
import { AT_ONCE } from '../../src/base/work/work.js';
import { CatalogCache, loadDatabase } from '../../src/catalog/definitions/load.js';
import { indexPrefix } from '../../src/catalog/keys/store-keys.js';
import { TesseraError } from '../../src/errors/error.js';
import { rulesWithout } from '../../src/plan/rewrite.js';
import { foldPending } from '../../src/search/segments/fold.js';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import type { DatabaseOptions } from '../../src/session/database/options.js';
import type { Engine } from '../../src/storage/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { openEngine } from '../../src/storage/open/open.js';
import { toNumber } from '../../src/value/number.js';
import { toText } from '../../src/value/text/text.js';
import { isArray, type NumberValue, type Value } from '../../src/value/value.js';
import { LateEngine, Lateness, seeded } from '../support/late-engine.js';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.js';
import { RUNS_ALL } from '../support/runs-all.js';
import { cleanUp, temporaryFolder } from '../support/server-process.js';

const SEED = Number(process.env['SEARCH_SEED'] ?? Math.floor(Math.random() * 2 ** 32));

/** Frequent words, and words that are rarer the later they stand. */
const WORDS = Array.from({ length: 40 }, (_, at) => `w${at}`);

/** A part of a query as `@QUERY@` has it. */
interface Part {
  readonly kind: 'word' | 'prefix' | 'phrase';
  readonly words: readonly string[];
  readonly isExcluded: boolean;
}

function textOf({ kind, words, isExcluded }: Part): string {
  const text = { word: words[0], prefix: `${words[0]}*`, phrase: `"${words.join(' ')}"` }[kind];
  return `${isExcluded ? '-' : ''}${text}`;
}

interface Reference {
  readonly matches: ReadonlyMap<string, number>;
}

/**
 * The formula as the documentation has it, over the texts of all records by their ids: those that meet a condition, with
 * the sum of what the terms weigh in them.
 */
function reference(
  texts: ReadonlyMap<string, string>,
  isFound: (words: readonly string[]) => boolean,
  terms: readonly ((word: string) => boolean)[],
): Reference {
  const documents = Array.from(texts, ([id, text]) => ({ id, words: text === '' ? [] : text.split(' ') }));
  const average = documents.reduce((sum, { words }) => sum + words.length, 0) / documents.length;
  const matches = new Map<string, number>();
  for (const { id, words } of documents) {
    if (!isFound(words)) continue;
    let score = 0;
    for (const isTerm of terms) {
      const occurrences = words.filter(isTerm).length;
      const having = documents.filter((each) => each.words.some(isTerm)).length;
      const weight = Math.log((documents.length - having + 0.5) / (having + 0.5));
      if (occurrences === 0 || weight <= 0) continue;
      const times = 1 + Math.log(occurrences);
      score += (weight * times * 2.2) / (times + 1.2 * (0.25 + (0.75 * words.length) / average));
    }
    matches.set(id, score);
  }
  return { matches };
}

/** `@QUERY@`: all parts but those that are excluded; a prefix counts as one word. */
function queryReference(texts: ReadonlyMap<string, string>, parts: readonly Part[]): Reference {
  const isIn = ({ kind, words: wanted }: Part, words: readonly string[]): boolean => {
    if (kind === 'prefix') return words.some((word) => word.startsWith(wanted[0] as string));
    return words.some((_, from) => wanted.every((word, at) => words[from + at] === word));
  };
  const terms = parts
    .filter(({ isExcluded }) => !isExcluded)
    .flatMap(({ kind, words }) =>
      words.map((word) => (other: string) => (kind === 'prefix' ? other.startsWith(word) : other === word)),
    );
  return reference(texts, (words) => parts.every((part) => isIn(part, words) !== part.isExcluded), terms);
}

/** `@AND@` and `@OR@`: all or some of the words. */
function wordsReference(
  texts: ReadonlyMap<string, string>,
  query: readonly string[],
  operator: 'AND' | 'OR',
): Reference {
  const isFound = (words: readonly string[]) => {
    const has = (word: string) => words.includes(word);
    return query.length > 0 && (operator === 'AND' ? query.every(has) : query.some(has));
  };
  return reference(
    texts,
    isFound,
    query.map((word) => (other: string) => other === word),
  );
}

let database: OpenDatabase;
let engine: Engine;
afterEach(() => database.close());

async function open(store: Engine, options: DatabaseOptions = {}): Promise<Session> {
  engine = store;
  database = await openDatabase(engine, options);
  const session = database.ownerSession();
  await session.use('test', 'test');
  await answers(
    session,
    'DEFINE ANALYZER words TOKENIZERS blank; DEFINE INDEX ft ON doc FIELDS t FULLTEXT ANALYZER words; DEFINE INDEX n ON doc FIELDS n',
  );
  return session;
}

async function answers(session: Session, text: string): Promise<Value[]> {
  const results = await session.query(text);
  return results.map(({ outcome }) => {
    if (!outcome.ok) throw new Error(`${outcome.error.message} in ${text} (seed ${SEED})`);
    return outcome.value;
  });
}

/** Folds all that is pending, or a part of it, as is done in the background, which may fold the same meanwhile. */
async function fold(most: number): Promise<void> {
  while (!(await isFolded(most)));
}

async function isFolded(most: number): Promise<boolean> {
  const transaction = await engine.begin({ writable: true, maintenance: true });
  const catalog = await loadDatabase(transaction, new CatalogCache(), 'test', 'test');
  const table = catalog?.tables.get('doc');
  const index = table?.indexes.find(({ name }) => name === 'ft');
  if (catalog === undefined || table === undefined || index === undefined) throw new Error('there is no index');
  const prefix = indexPrefix(catalog.database.id, table.definition.id, index.id);
  await foldPending(transaction, prefix, { least: 1, most, segments: 1 }, AT_ONCE);
  try {
    await transaction.commit();
    return true;
  } catch (error) {
    if (error instanceof TesseraError && error.code === 'transaction_conflict') return false;
    throw error;
  }
}

function scoresOf(rows: Value): Map<string, number> {
  const found = new Map<string, number>();
  for (const row of isArray(rows) ? rows : []) {
    const [id, score] = isArray(row) ? row : [];
    found.set(toText(id), toNumber(score as NumberValue));
  }
  return found;
}

function expectSame(found: ReadonlyMap<string, number>, { matches }: Reference, query: string): void {
  const about = `${query} (seed ${SEED})`;
  expect([...found.keys()].sort(), about).toEqual([...matches.keys()].sort());
  for (const [id, score] of matches) {
    const other = found.get(id) as number;
    expect(Math.abs(other - score), `${id} ${about}`).toBeLessThanOrEqual(1e-6 * Math.max(1, score));
  }
}

class Changes {
  readonly texts = new Map<string, string>();

  constructor(
    readonly session: Session,
    readonly random: (below: number) => number,
  ) {}

  word(): string {
    return WORDS[Math.min(this.random(WORDS.length), this.random(WORDS.length))] as string;
  }

  text(): string {
    return Array.from({ length: this.random(12) }, () => this.word()).join(' ');
  }

  /** A statement that changes a record, which takes effect in `texts` at once. */
  next(): string {
    const id = `doc:${this.random(400)}`;
    const kind = this.random(10);
    if (kind < 2 && this.texts.has(id)) {
      this.texts.delete(id);
      return `DELETE ${id}`;
    }
    if (kind === 2 && this.texts.has(id)) return `UPDATE ${id} SET n = ${this.random(5)}`;
    const text = this.text();
    this.texts.set(id, text);
    return `UPSERT ${id} SET t = '${text}', n = ${this.random(5)}`;
  }

  /** The same for so many records at once that they become a segment, those aside that are there already. */
  many(): string {
    const from = this.random(800);
    const rows = Array.from({ length: 200 }, (_, at) => {
      const text = this.text();
      this.texts.set(`doc:${from + at}`, text);
      return `{ id: ${from + at}, t: '${text}', n: ${this.random(5)} }`;
    });
    return `INSERT INTO doc [${rows}] ON DUPLICATE KEY UPDATE t = $input.t RETURN NONE`;
  }

  #part(isExcluded: boolean): Part {
    const kind = (['word', 'prefix', 'phrase'] as const)[this.random(3)] as Part['kind'];
    const word = this.word();
    const words = kind === 'phrase' ? [word, this.word()] : [kind === 'prefix' ? word.slice(0, 2) : word];
    return { kind, words, isExcluded };
  }

  /** The same for phrases, prefixes and what is excluded. */
  async checkQuery(): Promise<void> {
    const parts = [
      this.#part(false),
      ...Array.from({ length: this.random(3) }, () => this.#part(this.random(2) === 0)),
    ];
    const text = parts.map(textOf).join(' ');
    const expected = queryReference(this.texts, parts);
    const where = `WHERE t @1,QUERY@ '${text}'`;
    const [found, judged, best, count] = await answers(
      this.session,
      `SELECT VALUE [id, search::score(1)] FROM doc ${where};
       SELECT VALUE [id, search::score(1)] FROM doc WITH NOINDEX ${where};
       SELECT VALUE [id, s] FROM (SELECT id, search::score(1) AS s FROM doc ${where} ORDER BY s DESC LIMIT 5);
       SELECT VALUE count() FROM doc ${where} GROUP ALL`,
    );
    expectSame(scoresOf(found), expected, where);
    expectSame(scoresOf(judged), expected, `${where} without the index`);
    const exhaustive = [...scoresOf(found)].sort((a, b) => b[1] - a[1]).slice(0, 5);
    expect([...scoresOf(best)], `${where} (seed ${SEED})`).toEqual(exhaustive);
    expect(toText(count), where).toBe(`[${expected.matches.size}]`);
  }

  /** Compares what is found, all and the best, with the reference. */
  async check(): Promise<void> {
    const operator = this.random(2) === 0 ? 'AND' : 'OR';
    const query = Array.from({ length: 1 + this.random(3) }, () => this.word());
    const text = query.join(' ');
    const expected = wordsReference(this.texts, query, operator);
    const where = `WHERE t @1,${operator}@ '${text}'`;
    const [found, unordered, best = [], narrowed = [], count] = await answers(
      this.session,
      `SELECT VALUE [id, search::score(1)] FROM doc ${where}; SELECT VALUE id FROM doc ${where};
       SELECT id, search::score(1) AS s FROM doc ${where} ORDER BY s DESC LIMIT 5;
       SELECT VALUE id FROM doc ${where} AND n = 1; SELECT VALUE count() FROM doc ${where} GROUP ALL`,
    );
    expectSame(scoresOf(found), expected, where);
    expect(toText(count), `${where} (seed ${SEED})`).toBe(`[${expected.matches.size}]`);
    const ids = isArray(unordered) ? unordered.map((id) => toText(id)) : [];
    expect(ids).toEqual([...scoresOf(found).keys()]);
    const exhaustive = [...scoresOf(found)].sort((a, b) => b[1] - a[1]).slice(0, 5);
    const rows = (isArray(best) ? best : []) as readonly Readonly<Record<string, Value>>[];
    expect(
      rows.map((row) => [toText(row['id']), toNumber(row['s'] as NumberValue)]),
      `${where} (seed ${SEED})`,
    ).toEqual(exhaustive);
    expect(isArray(narrowed) ? narrowed.length : 0).toBeLessThanOrEqual(ids.length);
  }
}

let postgres: PostgresServer | undefined;
afterEach(async () => {
  await postgres?.remove();
  postgres = undefined;
});
afterAll(cleanUp);

const WAYS: Readonly<
  Record<
    string,
    { readonly options?: DatabaseOptions; readonly store: () => PromiseOrValue<Engine>; readonly rounds: number }
  >
> = {
  'in memory': { store: () => new MemoryEngine(), rounds: 40 },
  'without rules': {
    store: () => new MemoryEngine(),
    options: { tuning: { rules: rulesWithout(['index-scan', 'union-scan', 'ordered-scan', 'top-n']) } },
    rounds: 6,
  },
  late: { store: () => new LateEngine(new MemoryEngine(), new Lateness(3, seeded(SEED))), rounds: 8 },
  ...(RUNS_ALL &&
    postgresPrograms() !== undefined && {
      'on PostgreSQL': {
        store: async () => {
          postgres = await PostgresServer.start();
          return openEngine(postgres.address('search'));
        },
        rounds: 10,
      },
    }),
  'on disk': { store: () => openEngine(temporaryFolder()), rounds: 4 },
};

describe.each(Object.entries(WAYS))('%s', (_, { options, store, rounds }) => {
  test(`finds and scores what the reference does (seed ${SEED})`, async () => {
    const session = await open(await store(), options);
    const random = seeded(SEED);
    const changes = new Changes(session, random);
    for (let round = 0; round < rounds; round++) {
      const statements = Array.from({ length: 1 + random(40) }, () => changes.next());
      if (random(5) === 0) statements.push(changes.many());
      const isTogether = random(2) === 0;
      await answers(session, isTogether ? `BEGIN; ${statements.join('; ')}; COMMIT` : statements.join('; '));
      await changes.check();
      await changes.checkQuery();
      if (random(3) > 0) {
        await fold(1 + random(200));
        await changes.check();
        await changes.checkQuery();
      }
      if (random(15) === 0) await answers(session, 'REBUILD INDEX ft ON doc');
    }
  }, 60_000);

  test(`finds in a transaction what it has written (seed ${SEED})`, async () => {
    const session = await open(await store(), options);
    const changes = new Changes(session, seeded(SEED));
    await answers(session, Array.from({ length: 50 }, () => changes.next()).join('; '));
    await fold(30);
    const statements = Array.from({ length: 20 }, () => changes.next());
    const ids = (where: string) => `RETURN (SELECT VALUE id FROM doc ${where} ORDER BY id)`;
    const word = changes.word();
    const results = await answers(
      session,
      `BEGIN; ${statements.join('; ')}; LET $found = ${ids(`WHERE t @@ '${word}'`).slice(7)}; SELECT VALUE id FROM doc WHERE t @@ '${word}'; COMMIT`,
    );
    const expected = [...wordsReference(changes.texts, [word], 'AND').matches.keys()].sort();
    const found = results.at(-2);
    expect((isArray(found) ? found.map((id) => toText(id)) : []).sort(), `seed ${SEED}`).toEqual(expected);
  }, 60_000);
});

test('writers of different records never conflict', async () => {
  const session = await open(new MemoryEngine());
  const others = [session, database.ownerSession(), database.ownerSession()];
  for (const other of others) await other.use('test', 'test');
  await Promise.all(
    others.flatMap((other, at) =>
      Array.from({ length: 20 }, (_, number) => answers(other, `CREATE doc:${at * 100 + number} SET t = 'w1 w2'`)),
    ),
  );
  const [count] = await answers(session, "SELECT VALUE count() FROM doc WHERE t @@ 'w1' GROUP ALL");
  expect(toText(count)).toBe('[60]');
});
