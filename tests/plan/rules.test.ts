/** Each rule changes the plan of a statement that is made for it, and no rule changes the answer of any. */
import { expect, test } from 'vitest';
import { rulesWithout } from '../../src/plan/rewrite.js';
import { RULE_NAMES, type RuleName } from '../../src/plan/rules/rule.js';
import type { Session } from '../../src/session/contract.js';
import { openDatabase } from '../../src/session/database/database.js';
import { openEngine } from '../../src/storage/open/open.js';
import { toText } from '../../src/value/text/text.js';

/** Statements, by the rule that is to be seen in their plans, with a word that is there with the rule alone. */
const SHOWN: { readonly [Rule in Exclude<RuleName, 'permission-access'>]: readonly [statement: string, word: string] } =
  {
    'point-lookup': ['SELECT * FROM t WHERE id = t:3', 'PointLookup'],
    'list-lookup': ['SELECT * FROM t WHERE id IN [t:5, t:3, t:3, 7, t:77]', 'ListLookup'],
    'index-scan': ['SELECT * FROM t WHERE a = 1', 'IndexScan'],
    'range-scan': ['SELECT * FROM t WHERE id > t:3 AND id <= t:6', 'RangeScan'],
    'union-scan': ['SELECT * FROM t WHERE a = 1 OR b = 2 ORDER BY id', 'UnionScan'],
    'ordered-scan': ['SELECT * FROM t ORDER BY a DESC LIMIT 3', 'order: backward'],
    'offset-pushdown': ['SELECT * FROM t ORDER BY id DESC LIMIT 3 START 4', 'skips: keys'],
    'top-n': ['SELECT * FROM t ORDER BY c LIMIT 3', 'TopN'],
    'count-without-reading': ['SELECT count() FROM t WHERE a = 1 GROUP ALL', 'CountEntries'],
    'batch-filter': ['SELECT * FROM t WHERE c > 2 AND string::len(d) = 1', 'batched'],
    'direct-lookup': ['SELECT a, b FROM t:4', 'direct'],
    'uncorrelated-subquery': ['SELECT * FROM t WHERE c IN (SELECT VALUE a + 5 FROM t WHERE b = 2)', 'InitPlan'],
    'packed-vectors': ['SELECT * FROM t WHERE v <|3,EUCLIDEAN|> [4, 4]', 'packed'],
  };

const STATEMENTS = [
  ...Object.values(SHOWN).map(([statement]) => statement),
  'SELECT count() FROM t GROUP ALL',
  'SELECT * FROM t START 7',
  'SELECT * FROM t WHERE id = t:7 OR id = t:3 OR id = t:99 OR id = [t:1]',
  'SELECT id, c > (SELECT VALUE math::mean(c) FROM t GROUP ALL)[0] AS much FROM t WHERE a = 1 OR b = 2 ORDER BY id',
  'SELECT * FROM t WHERE a IN (SELECT VALUE b FROM t WHERE c > 7) ORDER BY id',
  'SELECT id, (SELECT VALUE a FROM t WHERE id = $parent.id) AS own FROM t WHERE b = (SELECT VALUE b FROM ONLY t:2)',
  'SELECT * FROM t LIMIT 2 START 3',
  'SELECT * FROM t LIMIT 3 START 100',
  'SELECT * FROM t ORDER BY id LIMIT 2 START 4',
  'SELECT id AS a, a AS id FROM t ORDER BY id LIMIT 3 START 2',
  'SELECT count() AS n FROM ONLY t WHERE b >= 1 GROUP ALL LIMIT 1',
  'SELECT a, count() FROM t GROUP BY a ORDER BY a DESC LIMIT 1',
  'SELECT * FROM t WHERE a IN [0, 2] ORDER BY b, c LIMIT 2 START 1',
  'SELECT * FROM t:2, t:9, [t:1, t:2, 7], t:4..6',
  'UPDATE t SET e = a + 1 WHERE a = 1 AND c > 2',
  'DELETE t WHERE b = 2 AND a = 0 RETURN BEFORE',
];

async function answering<T>(off: Iterable<RuleName>, ask: (session: Session) => Promise<T>): Promise<T> {
  const database = await openDatabase(await openEngine('memory'), { tuning: { rules: rulesWithout(off) } });
  const owner = database.ownerSession();
  await owner.use('test', 'test');
  await owner.query(`
    DEFINE TABLE t; DEFINE INDEX a ON t FIELDS a; DEFINE INDEX b ON t FIELDS b;
    FOR $i IN 1..=9 { CREATE type::record('t', $i) SET a = $i % 3, b = $i % 4, c = 10 - $i, d = 'x', v = [$i, $i % 5] };
  `);
  const answer = await ask(owner);
  await database.close();
  return answer;
}

async function answerOf(session: Session, statement: string): Promise<string> {
  const [result] = await session.query(statement);
  if (result?.outcome.ok !== true) throw result?.outcome.error ?? new Error('no answer');
  return toText(result.outcome.value);
}

const answers = (off: Iterable<RuleName>) =>
  answering(off, async (session) => {
    const all: string[] = [];
    for (const statement of STATEMENTS) all.push(await answerOf(session, statement));
    return all;
  });

test.each(Object.entries(SHOWN))('%s is seen in the plan, and has a switch', async (rule, [statement, word]) => {
  const plan = (off: RuleName[]) => answering(off, (session) => answerOf(session, `EXPLAIN ${statement}`));
  expect(await plan([])).toContain(word);
  expect(await plan([rule as RuleName])).not.toContain(word);
});

test('permission-access lets a permission choose the access, and has a switch', async () => {
  const reads = async (off: RuleName[]) =>
    answering(off, async (session) => {
      await session.query(`
        DEFINE TABLE OVERWRITE t PERMISSIONS FOR select WHERE a = 1; DEFINE TABLE user PERMISSIONS FULL; CREATE user:u;
        DEFINE FIELD seen ON t COMPUTED true PERMISSIONS FOR select FULL;
      `);
      return answerOf(session, 'EXPLAIN PERMISSIONS SELECT * FROM t AS user:u');
    });
  // What is admitted is the same by any access.
  expect(await reads(['permission-access'])).toEqual(await reads([]));
});

test('no rule changes an answer', async () => {
  const usual = await answers([]);
  for (const rule of RULE_NAMES) expect([rule, await answers([rule])]).toEqual([rule, usual]);
  expect(await answers(RULE_NAMES)).toEqual(usual);
});
