/**
 * A search among the few rows that a rule's index lists gives what the index and the texts give, row by row, of those
 * rows: the same rows, scores and highlights, with any rows that others have.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { toText } from '../../src/value/text/text.js';
import type { Value } from '../../src/value/value.js';
import { type Calls, counting } from '../query/counted-calls.js';
import { run, World } from '../support/world.js';

const calls: Calls = {};
let world: World;
let ann: Session;
beforeAll(async () => {
  world = await World.open({}, counting(new MemoryEngine(), calls));
  ann = await world.person('ann');
  await run(
    world.owner,
    `DEFINE ANALYZER simple TOKENIZERS blank FILTERS lowercase;
     DEFINE TABLE note PERMISSIONS FOR select WHERE owner = $auth.id AND !locked;
     DEFINE INDEX of_owner ON note FIELDS owner;
     DEFINE INDEX ft ON note FIELDS t FULLTEXT ANALYZER simple BM25 HIGHLIGHTS`,
  );
});
afterAll(() => world.database.close());

const WORDS = ['tea', 'teas', 'milk', 'cup', 'of'];
const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }).map((words) => words.join(' '));
const query = fc.oneof(
  fc
    .tuple(fc.constantFrom('@1@', '@1,OR@'), fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }))
    .map(([operator, words]) => ({ operator, text: words.join(' ') })),
  fc
    .constantFrom('tea*', '"tea milk"', 'tea -milk', 'te* -"cup of"')
    .map((each) => ({ operator: '@1,QUERY@', text: each })),
);
const row = fc.record({ t: text, own: fc.boolean(), locked: fc.boolean() });

/** Those of others, so that what the index finds is many times what may be seen. */
const OTHERS = 90;

async function answer(
  hint: string,
  { operator, text: words }: { operator: string; text: string },
): Promise<readonly string[]> {
  const matching = `FROM note ${hint} WHERE t ${operator} $words`;
  const results = await ann.query(
    `SELECT id, search::score(1) AS s, search::highlight('<', '>', 1) AS h ${matching} ORDER BY s DESC, id;
     SELECT VALUE id ${matching}; SELECT count() ${matching} GROUP ALL; SELECT VALUE search::score(1) ${matching} LIMIT 2`,
    { words },
  );
  return results.map(({ outcome }) => (outcome.ok ? toText(outcome.value) : outcome.error.message));
}

test('gives what each row gives by itself', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 8 }), text, query, async (rows, common, asked) => {
      const own = rows.map(({ own: isOwn, ...each }): Value => ({ ...each, owner: isOwn }) as unknown as Value);
      await run(
        world.owner,
        `DELETE note;
         INSERT INTO note (SELECT t, locked, IF owner THEN user:ann ELSE user:bob END AS owner FROM $own) RETURN NONE;
         CREATE |note:${OTHERS}| SET owner = user:bob, locked = false, t = $common RETURN NONE`,
        { own, common },
      );
      expect(await answer('', asked)).toEqual(await answer('WITH NOINDEX', asked));
    }),
    { numRuns: 60 },
  );
});

/** The lines of a measured plan: the step, and how many rows it gave. */
async function plan(session: Session): Promise<readonly string[]> {
  const [text] = await run(session, `EXPLAIN ANALYZE SELECT id FROM note WHERE t @@ 'tea'`);
  return String(text)
    .split('\n')
    .map((line) => line.replace(/ \[.*\]| elapsed: [^,}]*,?/g, ''));
}

/** How often a search asks the store for records, or for parts of the index. */
async function reads(hint: string): Promise<number> {
  const before = calls.getMany ?? 0;
  await run(ann, `SELECT VALUE id FROM note ${hint} WHERE t @@ 'tea'`);
  return (calls.getMany ?? 0) - before;
}

test('looks at those that may be seen where many more match, and shows in nothing which of the two it did', async () => {
  await run(world.owner, `DELETE note; CREATE note:1, note:2 SET owner = user:ann, locked = false, t = 'tea'`);
  await run(world.owner, `UPDATE note:2 SET t = 'milk'`);
  const others = (word: string) =>
    run(world.owner, `CREATE |note:${OTHERS}| SET owner = user:bob, locked = false, t = '${word}' RETURN NONE`);
  await others('milk');
  const few = await plan(ann);
  for (let more = 0; more < 50; more++) await others('tea');
  expect(await plan(ann)).toEqual(few);
  const chosen = await reads('');
  // The records of all that match, in a dozen batches: WITH INDEX leaves out that of the rule.
  expect(await reads('WITH INDEX ft')).toBeGreaterThan(chosen + 10);
});
