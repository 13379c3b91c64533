/** Schemas, rules, statements and writes for results that are kept right. */
import fc from 'fast-check';

const TEAMS = 3;
const team = fc.nat(TEAMS - 1);
const number = fc.integer({ min: 1, max: 5 });
const a = number.map((each) => `a:${each}`);
const b = number.map((each) => `b:${each}`);

/** The rules of a table, as its definition has them. */
export const RULES: Readonly<Record<'a' | 'b' | 'e', readonly string[]>> = {
  a: [
    'FULL',
    'WHERE team = $auth.team',
    'WHERE n < 3',
    'WHERE link.open',
    'WHERE (SELECT VALUE id FROM b WHERE open AND team = $parent.team) != []',
    'WHERE id IN $auth.likes',
    'NONE',
  ],
  b: ['FULL', 'WHERE open', 'WHERE team = $auth.team', 'NONE'],
  e: ['FULL', 'WHERE weight > 1', 'WHERE in.n < 3'],
};

export const SCHEMA = `
  DEFINE FIELD team ON user; DEFINE FIELD likes ON user;
  DEFINE TABLE a PERMISSIONS FOR select FULL; DEFINE TABLE b PERMISSIONS FOR select FULL;
  DEFINE TABLE e TYPE RELATION IN a OUT b PERMISSIONS FOR select FULL;
  DEFINE FIELD twice ON a COMPUTED n * 2; DEFINE FIELD ofLink ON a COMPUTED link.n;
  DEFINE INDEX team ON a FIELDS team; DEFINE INDEX n ON a FIELDS n;
  DEFINE TABLE totals AS SELECT team, count() AS count, math::sum(n) AS n FROM a GROUP BY team;
  DEFINE TABLE OVERWRITE totals PERMISSIONS FULL AS SELECT team, count() AS count, math::sum(n) AS n FROM a GROUP BY team;
  DEFINE FUNCTION fn::open() { RETURN (SELECT VALUE id FROM b WHERE open) } PERMISSIONS FULL;
  DEFINE PARAM $most VALUE 3 PERMISSIONS FULL;
`;

export const statement = fc.constantFrom(
  'SELECT * FROM a',
  'SELECT * FROM a WHERE team = 1',
  'SELECT * FROM a WHERE n > 2',
  'SELECT id, n, team FROM a ORDER BY n DESC, id LIMIT 3',
  'SELECT id, n FROM a ORDER BY n, id START 1 LIMIT 2',
  'SELECT id, n FROM a WHERE team = $auth.team ORDER BY n, id',
  'SELECT * FROM a WHERE team = 0 ORDER BY n DESC, id FETCH link',
  'SELECT id, link.n AS n, link.open AS open FROM a ORDER BY id',
  'SELECT id, ->e->b.n AS ns FROM a ORDER BY id',
  'SELECT id, ->e->b AS bs, <-e<-a AS none FROM a:1, a:2',
  'SELECT id, count(->e) AS edges FROM a ORDER BY edges DESC, id LIMIT 2',
  'SELECT team, count() AS count FROM a GROUP BY team ORDER BY team',
  'SELECT count() FROM b GROUP ALL',
  'SELECT * FROM totals ORDER BY id',
  'SELECT VALUE n FROM a ORDER BY n',
  'SELECT VALUE id FROM a WHERE link IN (SELECT VALUE id FROM b WHERE open) ORDER BY id',
  'SELECT * FROM ONLY a:1',
  'SELECT * FROM a:2..4',
  'SELECT * FROM a, b',
  'SELECT * FROM e WHERE weight > 0',
  'a:1.n',
  'a:1->e->b.{ id, n }',
  'count(SELECT id FROM a WHERE n >= $most)',
  'fn::open()',
  '{ a: count(SELECT id FROM a), b: (SELECT VALUE n FROM b ORDER BY n), me: $auth.team }',
  'SELECT id, twice, ofLink FROM a WHERE twice > 4 ORDER BY twice, id',
);

const open = fc.boolean();
const write = fc.oneof(
  fc
    .record({ id: a, n: fc.nat(5), of: team, link: b })
    .map(({ id, n, of, link }) => `UPSERT ${id} CONTENT { n: ${n}, team: ${of}, link: ${link} }`),
  fc
    .record({ id: b, n: fc.nat(5), of: team, open })
    .map((of) => `UPSERT ${of.id} CONTENT { n: ${of.n}, team: ${of.of}, open: ${of.open} }`),
  fc.tuple(a, fc.nat(5)).map(([id, n]) => `UPDATE ${id} SET n = ${n}`),
  fc.tuple(b, open).map(([id, is]) => `UPDATE ${id} SET open = ${is}`),
  fc.tuple(a, b, fc.nat(2)).map(([from, to, weight]) => `RELATE ${from}->e->${to} SET weight = ${weight}`),
  fc.constantFrom(
    'DELETE e WHERE weight = 0',
    'DELETE e',
    'UPDATE a SET n += 1',
    'DELETE a WHERE n > 5',
    'UPDATE b SET open = !open',
  ),
  fc.oneof(a, b).map((id) => `DELETE ${id}`),
  fc.tuple(fc.constantFrom('ann', 'bob'), team).map(([name, of]) => `UPDATE user:${name} SET team = ${of}`),
  fc
    .tuple(fc.constantFrom('ann', 'bob'), fc.uniqueArray(a, { maxLength: 3 }))
    .map(([name, likes]) => `UPDATE user:${name} SET likes = [${likes.join()}]`),
);

const rule = fc
  .constantFrom<'a' | 'b' | 'e'>('a', 'b', 'e')
  .chain((table) =>
    fc
      .constantFrom(...RULES[table])
      .map(
        (each) =>
          `DEFINE TABLE OVERWRITE ${table} ${table === 'e' ? 'TYPE RELATION IN a OUT b' : ''} PERMISSIONS FOR select ${each}`,
      ),
  );

const definition = fc.constantFrom(
  'REMOVE INDEX IF EXISTS team ON a',
  'DEFINE INDEX OVERWRITE team ON a FIELDS team',
  'REMOVE INDEX IF EXISTS n ON a',
  'DEFINE INDEX OVERWRITE n ON a FIELDS n',
  'DEFINE PARAM OVERWRITE $most VALUE 2 PERMISSIONS FULL',
  'DEFINE PARAM OVERWRITE $most VALUE 4 PERMISSIONS FULL',
  'DEFINE FIELD OVERWRITE twice ON a COMPUTED n * 3',
  'DEFINE FIELD OVERWRITE twice ON a COMPUTED n * 2',
  'DEFINE FIELD OVERWRITE team ON a PERMISSIONS FOR select WHERE n > 1',
  'DEFINE FIELD OVERWRITE team ON a PERMISSIONS FULL',
  'DEFINE FUNCTION OVERWRITE fn::open() { RETURN (SELECT VALUE n FROM b WHERE open ORDER BY n) } PERMISSIONS FULL',
  'REMOVE TABLE IF EXISTS e',
  'DEFINE TABLE OVERWRITE e TYPE RELATION IN a OUT b PERMISSIONS FOR select FULL',
);

const together = fc.array(write, { minLength: 1, maxLength: 4 });

export const step = fc.oneof(
  { weight: 10, arbitrary: write },
  { weight: 3, arbitrary: together.map((each) => `BEGIN; ${each.join('; ')}; COMMIT`) },
  { weight: 1, arbitrary: together.map((each) => `BEGIN; ${each.join('; ')}; CANCEL`) },
  { weight: 2, arbitrary: rule },
  { weight: 1, arbitrary: definition },
);
