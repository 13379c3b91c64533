/** The best matches of a search, for which most documents are passed over, against all matches by score. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { openEngine } from '../../src/storage/open/open.js';
import { toNumber } from '../../src/value/number.js';
import { isArray, type NumberValue, objectFrom, type Value } from '../../src/value/value.js';
import { seeded } from '../support/late-engine.js';

const SEED = Number(process.env['SEARCH_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

const DOCUMENTS = 3_000;
const WORDS = Array.from({ length: 60 }, (_, at) => `w${at}`);
/** Parameters of scores: the usual ones, some for which lengths count nothing, and some without bounds. */
const PARAMETERS = { usual: '(1.2,0.75)', flat: '(0,0)', unbounded: '(1.2,1.8)' };

let database: OpenDatabase;
let session: Session;

async function ask(text: string, variables: Record<string, Value> = {}): Promise<Value> {
  const results = await session.query(text, objectFrom(Object.entries(variables)));
  for (const { outcome } of results) if (!outcome.ok) throw outcome.error;
  const last = results.at(-1)?.outcome;
  return last?.ok === true ? last.value : undefined;
}

beforeAll(async () => {
  const random = seeded(SEED);
  // Few words are frequent and most are rare.
  const text = () =>
    Array.from({ length: 1 + random(30) }, () => WORDS[Math.min(random(60), random(60), random(60))]).join(' ');
  database = await openDatabase(await openEngine('memory'), {});
  session = database.ownerSession();
  await session.use('test', 'test');
  await ask('DEFINE ANALYZER words TOKENIZERS blank');
  for (let from = 0; from < DOCUMENTS; from += 500) {
    const rows = Array.from({ length: 500 }, (_, at) => objectFrom([['id', from + at], ...fieldsOf(text())]));
    await ask('INSERT INTO doc $rows RETURN NONE', { rows });
  }
  for (const [name, parameters] of Object.entries(PARAMETERS))
    await ask(`DEFINE INDEX ${name} ON doc FIELDS ${name} FULLTEXT ANALYZER words BM25${parameters}`);
  // Some of those that segments hold are void, and some documents are in no segment.
  for (let at = 0; at < 20; at++) {
    const [changed, fresh] = [text(), text()];
    await ask('UPSERT $id CONTENT $changed; UPSERT $fresh CONTENT $content; DELETE $gone', {
      id: await id(random(DOCUMENTS)),
      changed: objectFrom(fieldsOf(changed)),
      fresh: await id(DOCUMENTS + at),
      content: objectFrom(fieldsOf(fresh)),
      gone: await id(random(DOCUMENTS)),
    });
  }
}, 120_000);
afterAll(() => database.close());

const id = (number: number) => ask(`RETURN doc:${number}`);
const fieldsOf = (text: string) => Object.keys(PARAMETERS).map((name): [string, Value] => [name, text]);

/** The scores of rows, and their ids after those. */
function pairs(rows: Value): [number, number][] {
  return (isArray(rows) ? rows : []).map((row) => {
    const [score, number] = isArray(row) ? row : [];
    return [toNumber(score as NumberValue), Number(number)];
  });
}

test('the best matches are those of all that score best, of equal ones the first', { timeout: 120_000 }, async () => {
  const query = fc.record({
    field: fc.constantFrom(...Object.keys(PARAMETERS)),
    words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }),
    operator: fc.constantFrom('AND', 'OR'),
    most: fc.integer({ min: 1, max: 60 }),
  });
  const property = fc.asyncProperty(query, async ({ field, words, operator, most }) => {
    const found = `FROM doc WHERE ${field} @1,${operator}@ $text`;
    const text = words.join(' ');
    const all = pairs(await ask(`SELECT VALUE [search::score(1), record::id(id)] ${found}`, { text })).sort(
      ([score, number], [otherScore, otherNumber]) => otherScore - score || number - otherNumber,
    );
    const best = `SELECT search::score(1) AS score, id ${found} ORDER BY score DESC LIMIT ${most}`;
    const ranked = pairs(await ask(`SELECT VALUE [score, record::id(id)] FROM (${best})`, { text }));
    expect(ranked, `seed ${SEED}`).toEqual(all.slice(0, most));
  });
  await fc.assert(property, { seed: SEED, numRuns: 150 });
});
