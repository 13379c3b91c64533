/** Random statements about the tables of `schemas.ts`. */
import fc from 'fast-check';

export interface RandomStatement {
  readonly text: string;
  /** The fields that it changes, and the tables whose records it takes away. */
  readonly changes: readonly string[];
  /** It makes a record where there is none, or where there is one that is hidden. */
  readonly creates?: boolean;
  /** The table of which it removes records. */
  readonly removes?: string;
  /** What it changes are lists and objects, in which something may be hidden or fixed. */
  readonly around?: boolean;
}

const CONDITIONS = [
  'n = 2',
  'n > 1',
  'n = NONE',
  'n != 2',
  "s = 'x'",
  's = NONE',
  "n = 2 AND s = 'x'",
  "n > 1 AND s != 'y'",
  "n = 2 OR s = 'y'",
  'owner = user:me',
  'owner != user:me',
  'o.x = 1',
  'o.x = NONE',
  'o.z.w > 1',
  't CONTAINS 2',
  't CONTAINSANY [1, 3]',
  't[0] = 1',
  't[$] = 3',
  'array::len(t ?? []) > 1',
  'l.k CONTAINS 2',
  'l[0].v > 1',
  'link.n = 2',
  'link.s = NONE',
  'link IN [b:1, b:2]',
  'c',
  'c = NONE',
  'c > 0',
  '!n',
  'n IN [1, 2]',
  '(n ?? 0) + 1 > 2',
  "(s ?? '') + 'a' = 'xa'",
  'id = a:1',
  'owner.level = NONE',
  '(SELECT VALUE n FROM b:2)[0] = n',
  'n IN (SELECT VALUE n FROM b WHERE s = $parent.s)',
  'count(->e) > 0',
  '->e->b.n CONTAINS 2',
  '->e.n = []',
  '->(e WHERE n > 1)->b',
  'array::len(<-e) > 0',
  'record::exists(link ?? b:9)',
] as const;
/** Which of their errors is shown, if any, depends on the order of the records, and on the path that finds them. */
const FAILING = [
  "n * 's' = 1",
  '<int> s = 1',
  '{ THROW [n, s, c, l] }',
  's + 1',
  'n + 1 > 2',
  "s + 'a' = 'xa'",
  'array::len(t) > 1',
  'l.map(|$each| $each.k)',
  'l.k + n',
  '-o',
  '[n, c].nope()',
] as const;
const EXPRESSIONS = [
  'n',
  's',
  'c',
  'o',
  'o.x',
  'o.*',
  'o.z.w',
  't',
  't[0]',
  't[$]',
  't.*',
  'l',
  'l.k',
  'l[0]',
  '(l ?? []).map(|$each| $each.k)',
  'l[WHERE k = 2]',
  'link',
  'link.n',
  'link.c',
  'link.o.x',
  'link.l.k',
  'link.*',
  'link.link.n',
  '[n, s]',
  '{ a: n }',
  'n ?? 0',
  '(n ?? 0) + 1',
  'type::string(s)',
  'object::keys($this)',
  'array::len(t ?? [])',
  '$this.n',
  '$this',
  'link.{ n, s }',
  't[WHERE $this > 1]',
  'owner',
  'owner.level',
  '->e',
  '->e.n',
  '->e.*',
  '->e->b.n',
  '->e->b.*',
  '->e->b.{ n, c, l }',
  '->e->?.s',
  '->(e WHERE n = 2).s',
  '->e->(b WHERE n = 2).o',
  '->e->(SELECT n, s, c FROM b)',
  '->(SELECT n, out.n AS m FROM e ORDER BY id)',
  '<->e.n',
  'count(->e->b)',
  '->e.out.n',
  '@.{1..2}->e->a.n',
  '(SELECT VALUE n FROM b WHERE n = $parent.n ORDER BY id)',
  '(SELECT count() FROM b WHERE s = $parent.s GROUP ALL)',
  'record::exists(link)',
  'IF n > 1 { s } ELSE { c }',
] as const;
/** Of which the order of the rows makes no difference. */
const AGGREGATES = [
  'count()',
  'math::sum(n)',
  'math::mean(n)',
  'count(n = 2)',
  'math::max(o.x)',
  'math::min(c)',
  'count(->e)',
  'math::sum(link.n)',
] as const;
const COLLECTED = ['array::group(t)', 'array::distinct(s)', 'array::len(n)', 's', 'array::group(l.k)', 'c'] as const;
const KEYS = ['n', 's', 'o.x', 'c', 'link.n', 'owner', 't[0]'] as const;

const table = fc.constantFrom('a', 'a', 'a', 'b', 'e');
const condition = fc.constantFrom(...CONDITIONS);
const expression = fc.constantFrom(...EXPRESSIONS);
const aggregate = fc.constantFrom(...AGGREGATES);
const failing = fc.constantFrom(...FAILING);
const anyAggregate = fc.constantFrom(...AGGREGATES, ...COLLECTED);
const key = fc.constantFrom(...KEYS);
const where = fc
  .option(
    fc.oneof(
      { weight: 4, arbitrary: condition },
      fc.tuple(condition, fc.constantFrom('AND', 'OR'), condition).map(([x, by, y]) => `(${x}) ${by} (${y})`),
    ),
    { nil: undefined },
  )
  .map((text) => (text === undefined ? '' : ` WHERE ${text}`));
const hint = fc.constantFrom('', '', '', ' WITH NOINDEX', ' WITH INDEX i0', ' WITH INDEX i1');
const limit = fc.constantFrom('', '', ' LIMIT 2', ' LIMIT 1 START 1');
const fetched = fc.constantFrom('', '', ' FETCH link', ' FETCH link.link, in', ' FETCH link, out');
const projection = fc.oneof(
  fc.constant('*'),
  expression.map((e) => `id, ${e} AS e`),
  fc.tuple(expression, expression).map(([x, y]) => `*, ${x} AS e, [${y}] AS f`),
  fc.constantFrom('* OMIT n, o', 'id, n, o.x, l.k, t', '* OMIT l.k', 'id, ->e->b AS bs, c'),
);

/** Reads whose answer has an order that their own text gives it. */
const ordered: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(projection, table, hint, where, limit, fetched)
    .map(([p, t, h, w, l, f]) => `SELECT ${p} FROM ${t}${h}${w} ORDER BY id${l}${f}`),
  fc.tuple(expression, table, where).map(([e, t, w]) => `RETURN array::sort((SELECT VALUE ${e} FROM ${t}${w}))`),
  fc
    .tuple(key, table, where, fc.constantFrom('', ' DESC', ' COLLATE NUMERIC DESC'), limit)
    .map(([k, t, w, d, l]) => `SELECT id, ${k} AS k FROM ${t}${w} ORDER BY k${d}, id${l}`),
  fc.tuple(aggregate, table, hint, where).map(([g, t, h, w]) => `SELECT ${g} AS g FROM ${t}${h}${w} GROUP ALL`),
  fc
    .tuple(key, aggregate, table, where)
    .map(([k, g, t, w]) => `SELECT ${k} AS k, ${g} AS g, count() AS c FROM ${t}${w} GROUP BY k`),
  fc.tuple(table, where).map(([t, w]) => `SELECT id, t FROM ${t}${w} SPLIT t ORDER BY id, t`),
  fc.tuple(projection, where, fetched).map(([p, w, f]) => `SELECT ${p} FROM a:1, a:3, b:2, e:1, a:9${w}${f}`),
  fc
    .tuple(projection, table, failing)
    .map(([p, t, f]) => `SELECT ${p}, ${f} AS fails FROM ${t}:1; SELECT ${p} FROM ${t}:2 WHERE ${f}`),
  fc.tuple(table, where).map(([t, w]) => `RETURN count((SELECT VALUE id FROM ${t}${w}))`),
  fc.tuple(table, where).map(([t, w]) => `SELECT count() FROM ${t}${w} GROUP ALL`),
  fc.tuple(expression, table).map(([e, t]) => `RETURN [${t}:1, ${t}:2].{ id, e: ${e} }`),
  fc.tuple(expression, table).map(([e, t]) => `SELECT VALUE ${e} FROM ONLY ${t}:1`),
  fc.tuple(projection, where).map(([p, w]) => `SELECT ${p} FROM a:1->e->b, a:2->e, b:1<-e${w}`),
  fc.tuple(expression, condition).map(([e, c]) => `SELECT VALUE ${e} FROM (SELECT * FROM a ORDER BY id) WHERE ${c}`),
  fc.tuple(expression).map(([e]) => `SELECT id, e FROM (SELECT id, ${e} AS e FROM a, b) ORDER BY id`),
  condition.map((c) => `RETURN a:1.link.{ n, t, o }[WHERE ${c}]`),
  fc
    .constantFrom(
      '->e',
      '->e->b',
      '->e->b.n',
      '->e->?',
      '<->e',
      '->e.{ n, out }',
      '->e->a->e->b.*',
      '.{1..3}->e->a',
      '.{..+collect}->e->?',
    )
    .map((path) => `RETURN [a:1${path}, a:2${path}, a:3${path}]`),
  table.map((t) => `RETURN [record::exists(${t}:1), record::exists(${t}:2), ${t}:3.n, ${t}:4.exists()]`),
  fc
    .tuple(table, condition)
    .map(([t, c]) => `FOR $row IN (SELECT * FROM ${t} WHERE ${c} ORDER BY id) { IF $row.n > 1 { THROW $row } }`),
  table.map(
    (t) =>
      `LET $rows = SELECT * FROM ${t} ORDER BY id; RETURN $rows.n; RETURN $rows[0].link.n; SELECT VALUE n FROM $rows.id`,
  ),
);

/** Reads that leave the order to the plan. */
export const unordered: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(projection, table, hint, where, limit, fetched)
    .map(([p, t, h, w, l, f]) => `SELECT ${p} FROM ${t}${h}${w}${l}${f}`),
  fc.tuple(key, table, where, limit).map(([k, t, w, l]) => `SELECT id FROM ${t}${w} ORDER BY ${k} DESC${l}`),
  fc.tuple(expression, table, where, limit).map(([e, t, w, l]) => `SELECT VALUE ${e} FROM ${t}${w}${l}`),
  fc
    .tuple(key, anyAggregate, table, where)
    .map(([k, g, t, w]) => `SELECT ${k} AS k, ${g} AS g FROM ${t}${w} GROUP BY k`),
  fc.tuple(anyAggregate, table, where).map(([g, t, w]) => `SELECT ${g} AS g FROM ${t}${w} GROUP ALL`),
  fc.tuple(projection, table, failing, limit).map(([p, t, f, l]) => `SELECT ${p} FROM ${t} WHERE ${f}${l}`),
  fc.tuple(failing, table, where).map(([f, t, w]) => `SELECT ${f} FROM ${t}${w}`),
  fc.tuple(table, where).map(([t, w]) => `SELECT VALUE id FROM ${t}:2..${w}`),
  where.map((w) => `SELECT VALUE id FROM a, b, e${w} LIMIT 3`),
);

/** What shows how a statement is run. */
export const explained: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(fc.constantFrom('EXPLAIN', 'EXPLAIN FULL', 'EXPLAIN FORMAT JSON'), fc.oneof(ordered, unordered))
    .filter(([, text]) => text.startsWith('SELECT'))
    .map(([how, text]) => `${how} ${text}`),
  unordered.filter((text) => text.startsWith('SELECT')).map((text) => `${text} EXPLAIN`),
  fc.constantFrom('INFO FOR SESSIONS', 'INFO FOR NODES', 'INFO FOR DB', 'INFO FOR TABLE a', 'INFO FOR INDEX i0 ON a'),
);

const z = ['z'] as const;
const changing = (text: string): RandomStatement => ({ text, changes: z });
/** Whether what is made is seen must not be for hidden records to say. */
const creating = (text: string): RandomStatement => ({ text, changes: ['z', 'b', 'e'], creates: true });
const returning = fc.constantFrom(
  '',
  ' RETURN BEFORE',
  ' RETURN AFTER',
  ' RETURN DIFF',
  ' RETURN VALUE n',
  ' RETURN NONE',
  ' RETURN *, $before.o AS o, $after.s AS s',
);

/** What is written is mostly `z`, which no rule asks for, and in ways that hidden values could get into. */
const writing: fc.Arbitrary<RandomStatement> = fc.oneof(
  fc.tuple(expression, where, returning).map(([e, w, r]) => changing(`UPDATE a SET z = ${e}${w}${r}`)),
  fc
    .tuple(expression, where)
    .map(([e, w]) => changing(`UPDATE a MERGE { z: ${e} }${w} RETURN z, $before.n AS b, $after.o AS a`)),
  fc.tuple(where, returning).map(([w, r]) => changing(`UPDATE b SET z += 1, y = $before.n${w}${r}`)),
  fc.tuple(where, returning).map(([w, r]) => changing(`UPDATE e SET z = out.n${w}${r}`)),
  fc
    .constantFrom('/n', '/o', '/o/x', '/t', '/t/0', '/s', '/l/0/k', '/c', '')
    .map((path) => changing(`UPDATE a:1 PATCH [{ op: 'copy', from: '${path}', path: '/z' }]`)),
  fc
    .tuple(fc.constantFrom('/n', '/o/x', '/t/0', '/l/0/k', '/c'), fc.integer({ min: 1, max: 2 }))
    .map(([path, value]) => changing(`UPDATE a:1 PATCH [{ op: 'test', path: '${path}', value: ${value} }]`)),
  fc.tuple(table, failing).map(([t, f]) => ({
    text: `UPDATE ${t}:1 SET z = ${f}; DELETE a:1 WHERE ${f}`,
    changes: ['z', 'a', 'e'],
    removes: 'a',
  })),
  fc.constant({ text: 'UPDATE a SET o.y = o.x RETURN o.y', changes: ['o'] }),
  fc.tuple(where, returning).map(([w, r]) => ({ text: `UPDATE a SET n = 3${w}${r}`, changes: ['n'] })),
  fc.tuple(where, returning).map(([w, r]) => ({ text: `UPDATE a SET t += 2, s = NONE${w}${r}`, changes: ['t', 's'] })),
  fc.tuple(where, returning).map(([w, r]) => ({ text: `UPDATE b UNSET n, o.x${w}${r}`, changes: ['n', 'o'] })),
  fc.tuple(expression, returning).map(([e, r]) => creating(`UPSERT a:1 SET z = ${e}${r}`)),
  fc.tuple(expression, condition).map(([e, c]) => creating(`UPSERT a:2 SET z = ${e} WHERE ${c} RETURN z`)),
  expression.map((e) => creating(`INSERT INTO a { id: 1 } ON DUPLICATE KEY UPDATE z = ${e} RETURN z`)),
  returning.map((r) =>
    creating(`INSERT INTO a [{ id: 2 }, { id: 3 }] ON DUPLICATE KEY UPDATE z = [$before.n, $input.id, s]${r}`),
  ),
  fc.constant(creating('INSERT IGNORE INTO b [{ id: 1 }, { id: 8 }] RETURN id')),
  fc.constant(creating('CREATE a:3 SET z = 1 RETURN z')),
  fc.constant(creating('RELATE a:1->e:7->b:2 SET z = [in.n, out.n] RETURN z, in.s AS s')),
  fc
    .tuple(table, where, fc.constantFrom('', ' RETURN BEFORE', ' RETURN VALUE [id, n, o]'))
    .map(([t, w, r]) => ({ text: `DELETE ${t}${w}${r}`, changes: [t, 'e'], removes: t })),
);

const LISTS = ['t', 'l'] as const;
const ITEMS = { t: '2', l: '{ v: 2, k: 2 }' } as const;
const around = (text: string, changes: readonly string[]): RandomStatement => ({ text, changes, around: true });
const operations = fc.constantFrom(
  "{ op: 'remove', path: '/$' }",
  "{ op: 'remove', path: '/$/0' }",
  "{ op: 'replace', path: '/$', value: [] }",
  "{ op: 'replace', path: '/$/0', value: 3 }",
  "{ op: 'add', path: '/$/0', value: 1 }",
  "{ op: 'add', path: '/$/-', value: 1 }",
  "{ op: 'move', from: '/$/0', path: '/$/1' }",
  "{ op: 'copy', from: '/$/0', path: '/$/-' }",
);
const whole = fc.constantFrom(
  'NONE',
  '[]',
  '5',
  '{}',
  '[3]',
  '[1, 2, 3, 1]',
  '[{ v: 1 }, { k: 2 }]',
  '{ x: 1, y: 2 }',
  '{ z: { v: 1 } }',
);

/** Writes of what is around elements and fields that may be hidden or fixed. */
export const writesAround: fc.Arbitrary<RandomStatement> = fc.oneof(
  fc
    .tuple(fc.constantFrom('a', 'a', 'b', 'e'), fc.constantFrom('t', 'l', 'o'), whole, returning)
    .map(([t, f, v, r]) => around(`UPDATE ${t} SET ${f} = ${v}${r}`, [f])),
  fc
    .tuple(fc.constantFrom('t', 'l', 'o', 'o.y', 'o.z', 't[0]', 'l[0]', 'l[0].v', 'o.x'), returning)
    .map(([f, r]) => around(`UPDATE a UNSET ${f}${r}`, [f.slice(0, 1)])),
  fc
    .tuple(fc.constantFrom(...LISTS), fc.constantFrom('+=', '-=', '+?='), returning)
    .map(([f, by, r]) => around(`UPDATE a SET ${f} ${by} ${ITEMS[f]}${r}`, [f])),
  fc
    .tuple(
      fc.constantFrom(...LISTS),
      fc.constantFrom('reverse($)', 'push($, 1)', 'slice($, 1)', 'concat($, $)', 'distinct($)', 'remove($, 0)'),
      returning,
    )
    .map(([f, call, r]) => around(`UPDATE a SET ${f} = array::${call.replaceAll('$', `${f} ?? []`)}${r}`, [f])),
  fc
    .tuple(fc.constantFrom('CONTENT', 'REPLACE', 'MERGE'), fc.constantFrom('t', 'l', 'o'), whole, returning)
    .map(([how, f, v, r]) =>
      around(`UPDATE a ${how} { n: n, s: s, owner: owner, link: link, ${f}: ${v} }${r}`, [
        'n',
        's',
        'owner',
        'link',
        't',
        'l',
        'o',
      ]),
    ),
  fc
    .tuple(fc.constantFrom(...LISTS), operations, returning)
    .map(([f, operation, r]) => around(`UPDATE a:1, a:2 PATCH [${operation.replaceAll('$', f)}]${r}`, [f])),
  fc
    .tuple(fc.constantFrom('t', 'l', 'o'), whole)
    .map(([f, v]) => around(`UPDATE a SET ${f} = (SELECT VALUE ${f} FROM ONLY a:1), z = ${v}`, [f])),
  fc
    .tuple(
      fc.constantFrom(
        't[0] = 3',
        't[$] = 1',
        'l[0] = 2',
        'l[0].v = 3',
        'l[0].k = 1',
        'l[WHERE v = 2].v = 1',
        'o.y = 1',
        'o.z.v = 2',
        'o.x = 1',
      ),
      returning,
    )
    .map(([assignment, r]) => around(`UPDATE a SET ${assignment}${r}`, [assignment.slice(0, 1)])),
);

export const statements: fc.Arbitrary<RandomStatement> = fc.oneof(
  { weight: 6, arbitrary: ordered.map((text) => ({ text, changes: [] })) },
  { weight: 1, arbitrary: writing },
);

export const LIVE_QUERIES = [
  'LIVE SELECT * FROM a',
  'LIVE SELECT DIFF FROM a',
  'LIVE SELECT VALUE [id, n, s, c, link.n, $before, $after, $event] FROM a',
  'LIVE SELECT VALUE id FROM a WHERE n > 1 OR $before.n = 2',
  'LIVE SELECT *, ->e->b.n AS bs FROM b FETCH link',
  'LIVE SELECT * FROM e',
  'LIVE SELECT VALUE { THROW n } FROM a',
] as const;

const NEW = 'a:8';
/**
 * What another user does meanwhile; it neither shows anything that was hidden nor does anything that depends on it. Whether the new
 * record is seen must not be for hidden records to say.
 */
export const ELSEWHERE: readonly RandomStatement[] = [
  { text: 'UPDATE a SET z = 1', changes: [] },
  { text: 'UPDATE a SET z = 2 WHERE id IN [a:1, a:3]', changes: [] },
  { text: 'UPDATE e SET z = 3', changes: [] },
  { text: 'UPDATE b SET z = 3', changes: [] },
  { text: `CREATE ${NEW} SET n = 2, s = "x", owner = user:me, z = 1`, changes: ['b'] },
  { text: `UPDATE ${NEW} SET n = 1, owner = user:other`, changes: ['b'] },
  { text: `UPDATE ${NEW} SET n = 2, owner = user:me`, changes: ['b'] },
  { text: 'DELETE e', changes: [] },
  { text: 'DELETE a', changes: [] },
];
