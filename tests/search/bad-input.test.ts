/** Texts and queries as large as they may be: a clear error or a bounded answer, with others served meanwhile. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { openEngine } from '../../src/storage/open/open.js';
import { toText } from '../../src/value/text/text.js';
import { objectFrom, type Value } from '../../src/value/value.js';
import { atLeast } from '../support/timeouts.js';

let database: OpenDatabase;
let session: Session;
let other: Session;
beforeEach(async () => {
  database = await openDatabase(await openEngine('memory'), {});
  session = database.ownerSession();
  other = database.ownerSession();
  for (const each of [session, other]) await each.use('test', 'test');
  await ask(
    'DEFINE ANALYZER words TOKENIZERS blank FILTERS lowercase; DEFINE INDEX ft ON doc FIELDS t FULLTEXT ANALYZER words HIGHLIGHTS',
  );
});
afterEach(() => database.close());

/** The last answer as text, or the code of the error. */
async function ask(text: string, variables: Readonly<Record<string, Value>> = {}): Promise<string> {
  const results = await session.query(text, objectFrom(Object.entries(variables)));
  const last = results.at(-1)?.outcome;
  if (last === undefined) throw new Error('there is no answer');
  return last.ok ? toText(last.value) : last.error.code;
}

/** The same, while another session asks again and again; answers how often that was served, too. */
async function besideOthers(text: string, variables: Readonly<Record<string, Value>>): Promise<[string, number]> {
  let isDone = false;
  const answered = ask(text, variables).then((answer) => {
    isDone = true;
    return answer;
  });
  let served = 0;
  while (!isDone && served < 100) {
    await other.query('RETURN 1');
    await new Promise((resume) => setImmediate(resume));
    served++;
  }
  return [await answered, served];
}

test('a text of 16 MiB is indexed and found while others are served', { timeout: atLeast(120_000) }, async () => {
  const words = Array.from({ length: 50_000 }, (_, at) => `word${at}`).join(' ');
  const text = `${words} `.repeat(Math.ceil(2 ** 24 / words.length)).slice(0, 2 ** 24);
  const [created, served] = await besideOthers('CREATE doc:1 SET t = $text RETURN VALUE id', { text });
  expect(created).toBe('[doc:1]');
  expect(served).toBeGreaterThan(10);
  expect(await ask("SELECT VALUE id FROM doc WHERE t @@ 'word7 word49999'")).toBe('[doc:1]');
  expect(await ask('SELECT VALUE id FROM doc WHERE t @QUERY@ \'"word7 word8" -"word8 word7"\'')).toBe('[doc:1]');
});

test('a query of 10,000 words is answered', { timeout: atLeast(60_000) }, async () => {
  await ask("CREATE doc:1 SET t = 'word1 word2'; CREATE doc:2 SET t = 'word9999'");
  await ask('REBUILD INDEX ft ON doc');
  const text = Array.from({ length: 10_000 }, (_, at) => `word${at}`).join(' ');
  const prefixes = Array.from({ length: 10_000 }, () => 'wor*').join(' ');
  expect(await ask('SELECT VALUE id FROM doc WHERE t @OR@ $text', { text })).toBe('[doc:1, doc:2]');
  expect(await ask('SELECT VALUE id FROM doc WHERE t @@ $text', { text })).toBe('[]');
  expect(await ask('SELECT VALUE id FROM doc WITH NOINDEX WHERE t @OR@ $text', { text })).toBe('[doc:1, doc:2]');
  expect(await ask('SELECT VALUE id FROM doc WHERE t @QUERY@ $prefixes', { prefixes })).toBe('[doc:1, doc:2]');
  const [answer] = await besideOthers('SELECT VALUE search::score(1) > 0 FROM doc WHERE t @1,OR@ $text', { text });
  expect(answer).toMatch(/^\[(true|false), (true|false)\]$/);
});

test('tokens of 1 MiB are cut, and found by the same text', async () => {
  const text = 'a'.repeat(2 ** 20);
  expect(await ask('CREATE doc:1 SET t = $text RETURN VALUE id', { text })).toBe('[doc:1]');
  expect(await ask('SELECT VALUE id FROM doc WHERE t @@ $text', { text })).toBe('[doc:1]');
  expect(await ask('SELECT VALUE id FROM doc WHERE t @QUERY@ $text', { text: `"${text}"` })).toBe('[doc:1]');
  expect(await ask('SELECT VALUE id FROM doc WHERE t @QUERY@ $text', { text: `${'a'.repeat(5_000)}*` })).toBe(
    '[doc:1]',
  );
});

test('lone surrogates end tokens, in texts and queries', async () => {
  expect(await ask('CREATE doc:1 SET t = $text RETURN VALUE id', { text: 'a\ud800b c\udc00' })).toBe('[doc:1]');
  await ask('REBUILD INDEX ft ON doc');
  expect(await ask("SELECT VALUE id FROM doc WHERE t @@ 'a b c'")).toBe('[doc:1]');
  expect(await ask('SELECT VALUE id FROM doc WHERE t @@ $text', { text: 'b\udfffa' })).toBe('[doc:1]');
  expect(await ask('SELECT VALUE id FROM doc WHERE t @QUERY@ $text', { text: '"a\ud800b"' })).toBe('[doc:1]');
  expect(await ask('SELECT VALUE search::offsets(1) FROM doc WHERE t @1@ $text', { text: 'c' })).toContain('e: 5');
});

test('ngrams that grow beyond the bound are an error, and nothing is half indexed', {
  timeout: atLeast(60_000),
}, async () => {
  await ask(
    'DEFINE ANALYZER grams TOKENIZERS blank FILTERS ngram(0,65535); DEFINE INDEX g ON grown FIELDS t FULLTEXT ANALYZER grams',
  );
  const text = 'abcdefgh'.repeat(1_000);
  const [answer] = await besideOthers('CREATE grown:1 SET t = $text', { text });
  expect(answer).toBe('too_many_terms');
  expect(await ask('SELECT VALUE id FROM grown')).toBe('[]');
  expect(await ask("CREATE grown:2 SET t = 'abc' RETURN VALUE id")).toBe('[grown:2]');
  expect(await ask("SELECT VALUE id FROM grown WHERE t @@ 'bc'")).toBe('[grown:2]');
  expect(await ask("SELECT count() FROM grown WHERE t @OR@ 'abcdefgh bc' GROUP ALL")).toBe('[{ count: 1 }]');
});

test('what there is no analyzer, stemmer or tokenizer for is said', async () => {
  await ask('DEFINE INDEX lost ON lost FIELDS t FULLTEXT ANALYZER nope');
  expect(await ask("CREATE lost:1 SET t = 'a'")).toBe('analyzer_missing');
  expect(await ask('SELECT VALUE id FROM lost')).toBe('[]');
  expect(await ask("RETURN search::analyze('nope', 'a')")).toBe('analyzer_not_found');
  await expect(ask('DEFINE ANALYZER a FILTERS snowball(klingon)')).rejects.toThrow(/expected a language/);
  await expect(ask('DEFINE ANALYZER a TOKENIZERS nope')).rejects.toThrow(/expected a tokenizer/);
});

test('a query has so many terms at most, and so many beginnings of words', async () => {
  await ask("CREATE doc:1 SET t = 'word1 word2'");
  const words = (count: number, end = '') => Array.from({ length: count }, (_, at) => `w${at}${end}`).join(' ');
  const asked = (operator: string, text: string) => ask(`SELECT VALUE id FROM doc WHERE t ${operator} $text`, { text });
  for (const operator of ['@@', '@OR@', '@QUERY@']) expect(await asked(operator, words(20_000))).toBe('search_query');
  expect(await asked('@QUERY@', `"${words(20_000)}"`)).toBe('search_query');
  expect(await asked('@QUERY@', words(33, '*'))).toBe('search_query');
  expect(await asked('@QUERY@', words(32, '*'))).toBe('[]');
});

test('a phrase is looked for in steps, wherever its words stand', async () => {
  const repeated = 'a '.repeat(20_000);
  await ask('CREATE doc:1 SET t = $text RETURN NONE', { text: `${repeated}b c` });
  const phrase = (end: string) => `"${'a '.repeat(2_000)}${end}"`;
  const text = 'SELECT VALUE id FROM doc WHERE t @QUERY@ $text';
  const [found, others] = await besideOthers(text, { text: phrase('c') });
  expect(found).toBe('[]');
  expect(others).toBeGreaterThan(10);
  expect(await ask(text, { text: phrase('b c') })).toBe('[doc:1]');
});

test('the offsets of overlapping parts are found in one walk over the text', async () => {
  await ask(
    'DEFINE ANALYZER grams TOKENIZERS blank FILTERS ngram(1,3); DEFINE INDEX g ON grown FIELDS t FULLTEXT ANALYZER grams HIGHLIGHTS',
  );
  const text = `é${'ab'.repeat(1_000)} `.repeat(10);
  await ask('CREATE grown:1 SET t = $text RETURN NONE', { text });
  const walked = vi.spyOn(String.prototype, 'codePointAt');
  const offsets = await ask("SELECT VALUE search::offsets(1, true) FROM grown WHERE t @1,OR@ 'a b ab ba aba bab'");
  const steps = walked.mock.calls.length;
  walked.mockRestore();
  expect(offsets).toContain(`{ e: 2, s: 1 }, { e: 3, s: 1 }, { e: 4, s: 1 }`);
  expect(offsets).toContain(`{ e: 20019, s: 20018 }`);
  // A handful for each of the 60,000 parts.
  expect(steps).toBeLessThan(1_000_000);
  // What is marked with long marks ends at the limit of what a function makes.
  expect(
    await ask("SELECT VALUE search::highlight($mark, '', 1) FROM grown WHERE t @1@ 'a'", { mark: 'x'.repeat(2 ** 18) }),
  ).toBe('invalid_arguments');
});

test('the terms of a text count as memory of the request', { timeout: atLeast(60_000) }, async () => {
  await ask('DEFINE ANALYZER letters FILTERS ngram(1,1); DEFINE ANALYZER chain FILTERS ngram(1,200), ngram(1,50)');
  const text = 'ab'.repeat(2 ** 17);
  const analyze = "RETURN search::analyze('letters', $text).len()";
  expect(await ask(analyze, { text })).toBe('262144');
  await session.close();
  await database.close();
  database = await openDatabase(await openEngine('memory'), { memory: { request: 4 * 2 ** 20 } });
  session = database.ownerSession();
  await session.use('test', 'test');
  await ask('DEFINE ANALYZER letters FILTERS ngram(1,1); DEFINE ANALYZER chain FILTERS ngram(1,200), ngram(1,50)');
  expect(await ask(analyze, { text })).toBe('request_memory_exceeded');
  // Filters that multiply what others have made end after so many terms.
  expect(await ask("RETURN search::analyze('chain', $text)", { text: 'ab'.repeat(500) })).toBe('too_many_terms');
});
