/**
 * What is absent, unknown or of the wrong kind never means "all" or "nothing, OK" in a statement that writes: it is an
 * error, or does what the statement says of it (LANGUAGE, "Writes and what is absent").
 */
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { equals } from '../../src/value/order.js';
import { toText } from '../../src/value/text/text.js';
import { isTruthy } from '../../src/value/truthiness.js';
import { isArray, isObject, Range, RecordId, SetValue, Table, type Value } from '../../src/value/value.js';
import { storableValue } from '../support/arbitraries.js';
import { type Owned, openOwned } from '../support/owned.js';

let owned: Owned;
beforeAll(async () => {
  owned = await openOwned();
});
afterAll(() => owned.database.close());
beforeEach(() => owned.value('REMOVE TABLE IF EXISTS p; DEFINE TABLE p'));

type Outcome = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly message: string };

async function run(text: string, variables: Readonly<Record<string, Value>>): Promise<Outcome> {
  for (const [name, value] of Object.entries(variables)) await owned.owner.setVariable(name, value);
  const results = await owned.owner.query(text);
  const failed = results.find(({ outcome }) => !outcome.ok)?.outcome;
  if (failed?.ok === false) return { ok: false, message: failed.error.message };
  const last = results.at(-1)?.outcome;
  return { ok: true, value: last?.ok === true ? last.value : undefined };
}

/** Small numbers often meet, and so do missing values. */
const operand: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom<Value>(undefined, null, 0, 1, 'a', true),
  fc.array(fc.constantFrom<Value>(1, 2, 'a'), { maxLength: 3 }),
  storableValue,
);
const RUNS = { numRuns: 300 };

/** The records of the table, as text. */
async function records(): Promise<string> {
  return toText(await owned.value('SELECT * FROM p'));
}

const isList = (value: Value): boolean => isArray(value) || value instanceof SetValue;

describe('x += v and x -= v', () => {
  it.each(['+', '-'])('are x %s v, or an error as it is, but for lists and what is missing', async (operator) => {
    await fc.assert(
      fc.asyncProperty(operand, operand, async (old, given) => {
        if (old === undefined || isList(old)) return;
        const written = await run(
          `UPSERT ONLY p:1 CONTENT { x: $old }; UPDATE ONLY p:1 SET x ${operator}= $given RETURN VALUE x`,
          { old, given },
        );
        // Stored, since a record has no members that are NONE.
        const sum = `(UPSERT ONLY p:2 CONTENT { x: $old }).x ${operator} $given`;
        const expected = await run(`RETURN (UPSERT ONLY p:3 CONTENT { x: ${sum} }).x`, { old, given });
        expect(written.ok ? toText(written.value) : written.message).toBe(
          expected.ok ? toText(expected.value) : expected.message,
        );
      }),
      RUNS,
    );
  });

  it('add every element to a list, and leave none of those that are taken away', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operand, { maxLength: 4 }), operand, async (old, given) => {
        const items = given instanceof SetValue ? given.items : isArray(given) ? given : [given];
        const added = await run('UPSERT ONLY p:1 CONTENT { x: $old }; UPDATE ONLY p:1 SET x += $given RETURN VALUE x', {
          old,
          given,
        });
        const all = await run('RETURN (UPSERT ONLY p:2 CONTENT { x: $all }).x', { all: [...old, ...items] });
        expect(added.ok && toText(added.value)).toBe(all.ok && toText(all.value));
        const taken = await run('UPDATE ONLY p:1 SET x -= $given RETURN VALUE x', { given });
        const left = taken.ok && isArray(taken.value) ? taken.value : [];
        expect(left.filter((item) => items.some((each) => equals(each, item)))).toEqual([]);
      }),
      RUNS,
    );
  });
});

it('a path leads to the value that was set, or is an error', async () => {
  const path = fc.constantFrom('x.y', 'x.y.z', "x['y']", 'x[0]', 'x[$]', 'x[*]', 'x.*', 'x[WHERE true]');
  await fc.assert(
    fc.asyncProperty(operand, path, async (old, path) => {
      await run('UPSERT p:1 CONTENT { x: $old }', { old });
      const set = await run(`UPDATE ONLY p:1 SET ${path} = 'set' RETURN VALUE x`, {});
      if (!set.ok) return;
      // There may be no element to be set; then there is nothing that could be one either.
      const isOpen = old === undefined || old === null || isObject(old) || isArray(old) || old instanceof RecordId;
      expect(isOpen).toBe(true);
      if (/^x\.y|'y'/.test(path) && !isArray(old)) expect(toText(set.value)).toContain("'set'");
    }),
    RUNS,
  );
});

describe('data of the wrong kind is an error, and changes nothing', () => {
  const isPatch = (value: Value) => isArray(value) && value.every(isObject);
  it.each<[string, (value: Value) => boolean]>([
    ['UPDATE p:1 CONTENT $given', isObject],
    ['UPDATE p:1 REPLACE $given', isObject],
    ['UPDATE p:1 MERGE $given', isObject],
    ['UPDATE p:1 PATCH $given', isPatch],
    ['UPSERT p:1 CONTENT $given', isObject],
    ['CREATE p:2 CONTENT $given', isObject],
    ['CREATE p CONTENT $given', isObject],
    ['INSERT INTO p $given', (value) => isObject(value) || (isArray(value) && value.every(isObject))],
    ['RELATE p:1->e->p:1 CONTENT $given', isObject],
  ])('%s', async (statement, fits) => {
    await owned.value('UPSERT p:1 CONTENT { n: 1 }');
    await fc.assert(
      fc.asyncProperty(operand, async (given) => {
        const before = await records();
        const { ok } = await run(statement, { given });
        if (!fits(given)) expect(ok).toBe(false);
        if (!ok) expect(await records()).toBe(before);
        await run('DELETE p; CREATE p:1 SET n = 1', {});
      }),
      RUNS,
    );
  });
});

describe('a target that is no record or table is an error, and changes nothing', () => {
  it.each([
    'UPDATE $given SET n = 9',
    'UPDATE $given SET n = 9 WHERE true',
    'DELETE $given',
    'DELETE $given WHERE true',
    'UPSERT $given SET n = 9',
    'CREATE $given SET n = 9',
    'RELATE $given->e->p:1',
    "UPDATE type::record('p', $given) SET n = 9",
    "DELETE type::record('p', $given)",
    'DELETE type::table($given)',
  ])('%s', async (statement) => {
    const named = (value: Value): boolean =>
      value instanceof RecordId ||
      value instanceof Table ||
      (isObject(value) && value['id'] instanceof RecordId) ||
      (isList(value) && (value instanceof SetValue ? value.items : (value as readonly Value[])).every(named));
    await owned.value('DELETE p; CREATE p:kept SET n = 1; CREATE p:other SET n = 2');
    await fc.assert(
      fc.asyncProperty(operand, async (given) => {
        // Another place than the records of this test.
        if (named(given) && /(?<![\w`])`?p`?(?!\w)/.test(toText(given))) return;
        const { ok } = await run(statement, { given });
        const isByName = statement.includes('type::');
        if (!isByName && !named(given)) expect(ok).toBe(false);
        if (isByName && (given === undefined || given === null)) expect(ok).toBe(false);
        if (given instanceof Range || isByName) await owned.value('UPSERT p:kept SET n = 1; UPSERT p:other SET n = 2');
        else expect(toText(await owned.value('SELECT VALUE n FROM p:kept, p:other'))).toBe('[1, 2]');
      }),
      RUNS,
    );
  });
});

it('a condition that is NONE, NULL or anything else that isn’t true changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(operand, async (given) => {
      await owned.value('DELETE p; CREATE p:1 SET n = 1; CREATE p:2 SET n = 1');
      const written = await run('UPDATE p SET n = 2 WHERE $given RETURN VALUE n', { given });
      expect(written.ok && toText(written.value)).toBe(isTruthy(given) ? '[2, 2]' : '[]');
      const absent = await run('DELETE p WHERE id = $absent OR id IN $absent OR n < $absent RETURN BEFORE', {});
      expect(absent.ok && toText(absent.value)).toBe('[]');
    }),
    { numRuns: 100 },
  );
});

it('ONLY means one record, whatever is returned of several', async () => {
  const output = fc.constantFrom('', 'RETURN NONE', 'RETURN BEFORE', 'RETURN AFTER', 'RETURN VALUE n');
  const verb = fc.constantFrom('UPDATE ONLY p SET n = 2', 'DELETE ONLY p', 'UPSERT ONLY p SET n = 2 WHERE n = 1');
  await fc.assert(
    fc.asyncProperty(verb, output, fc.nat({ max: 3 }), async (verb, output, count) => {
      await owned.value(`DELETE p; CREATE |p:${count === 0 ? '1..1' : `1..${count + 1}`}| SET n = 1`);
      const before = await records();
      const { ok } = await run(`${verb} ${output}`, {});
      if (count > 1) {
        expect(ok).toBe(false);
        expect(await records()).toBe(before);
      }
    }),
    { numRuns: 60 },
  );
});
