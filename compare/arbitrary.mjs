// Random statements over small random data, as texts.
import fc from 'fast-check';
import { BINARY, MEMBERSHIP } from './operators.mjs';

const one = (...texts) => fc.constantFrom(...texts);
/** Texts in which each `%` is replaced by one of the parts, in their order. */
const join = (pattern, ...parts) =>
  fc.tuple(...parts).map((texts) => {
    let at = 0;
    return pattern.replace(/%/g, () => texts[at++]);
  });
const list = (part, separator, least, most) =>
  fc.array(part, { minLength: least, maxLength: most }).map((parts) => parts.join(separator));
const maybe = (part, weight = 2) => fc.option(part, { nil: '', freq: weight });

const FIELDS = ['a', 'b', 'c', 'd', 'o', 'l'];
const field = one(...FIELDS);
const path = fc.oneof(
  { weight: 5, arbitrary: field },
  {
    weight: 1,
    arbitrary: one(
      'o.x',
      'o.y.z',
      'l[0]',
      'l[$]',
      'l.*',
      'o.*',
      'link.a',
      'l[1..]',
      'l[WHERE $this > 1]',
      'o.{x, y}',
      'o.?.x',
      'id',
      '->e->t',
      '<-e<-t.a',
      '->e.w',
      '@.a',
    ),
  },
);
const record = one('t:1', 't:2', 't:3', 't:9', 'u:a', 'u:b', "u:['x', 1]");
const scalar = one(
  'NONE',
  'NULL',
  'true',
  'false',
  '0',
  '1',
  '2',
  '3',
  '-1',
  '7',
  '9223372036854775807',
  '-9223372036854775808',
  '1.5',
  '0.0',
  '2f',
  '-0.5',
  '1e20',
  '3dec',
  '1.50dec',
  '0.1dec',
  'NaN',
  'math::inf',
  "''",
  "'a'",
  "'b'",
  "'Abc'",
  "'1'",
  "'é'",
  '1h',
  '1h30m',
  '0ns',
  '2w',
  "d'2024-02-29T12:00:00Z'",
  "d'1970-01-01T00:00:00.5Z'",
  "u'0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b'",
  'b"0aff"',
  '(1.5, 2)',
  '/a.c/',
  '1..3',
  '1..=3',
  "'a'..'c'",
  '{1, 2, 2}',
  '{,}',
);

const KINDS = [
  'int',
  'float',
  'decimal',
  'number',
  'string',
  'bool',
  'datetime',
  'duration',
  'uuid',
  'array',
  'set',
  'object',
  'array<int>',
  'option<int>',
  'int | string',
  'bytes',
  'record',
  'array<string, 2>',
  'set<int>',
  'range',
  'geometry',
  'regex',
];
const METHODS = [
  'len()',
  'is_none()',
  'to_string()',
  'first()',
  'last()',
  'reverse()',
  'sort()',
  'distinct()',
  'keys()',
  'values()',
  'uppercase()',
  'abs()',
  'type_of()',
  'flatten()',
  'is_array()',
  'max()',
  'map(|$v| $v)',
  'filter(|$v| $v != 1)',
  "join('-')",
  'slice(0, 1)',
  'at(0)',
  'entries()',
  'chain(|$v| $v)',
  'is_string()',
  'year()',
  'secs()',
];
const CALLS = [
  'array::len',
  'array::sort',
  'array::distinct',
  'array::flatten',
  'array::first',
  'array::max',
  'string::len',
  'string::uppercase',
  'string::words',
  'math::sum',
  'math::mean',
  'math::abs',
  'math::round',
  'math::max',
  'type::of',
  'type::is_int',
  'type::int',
  'type::string',
  'type::float',
  'type::decimal',
  'object::keys',
  'object::values',
  'object::entries',
  'count',
  'not',
  'record::id',
  'record::tb',
  'duration::hours',
  'time::year',
  'value::diff',
  'math::median',
  'math::stddev',
  'type::array',
  'set::len',
  'encoding::json::encode',
  'array::transpose',
  'array::sum',
  'bytes::len',
];

const { expression } = fc.letrec((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 4, arbitrary: scalar },
    { weight: 3, arbitrary: path },
    { weight: 1, arbitrary: record },
    { weight: 4, arbitrary: join('% % %', tie('operand'), one(...BINARY, ...MEMBERSHIP), tie('operand')) },
    { weight: 1, arbitrary: join('%%', one('-', '!', '!!', '+'), tie('operand')) },
    { weight: 2, arbitrary: join('<%> %', one(...KINDS), tie('operand')) },
    { weight: 1, arbitrary: list(tie('expression'), ', ', 0, 3).map((items) => `[${items}]`) },
    { weight: 1, arbitrary: join('{ x: %, y: % }', tie('expression'), tie('expression')) },
    { weight: 2, arbitrary: join('%(%)', one(...CALLS), tie('expression')) },
    { weight: 1, arbitrary: join('%.%', tie('operand'), one(...METHODS)) },
    { weight: 1, arbitrary: join('IF % { % } ELSE { % }', tie('expression'), tie('expression'), tie('expression')) },
    { weight: 1, arbitrary: join('%[%]', tie('operand'), one('0', '1', '-1', '$', '0..2', "'x'", '*', 'WHERE $this')) },
    { weight: 1, arbitrary: join('(SELECT VALUE % FROM t)', tie('expression')) },
  ),
  operand: tie('expression').map((text) => (/^[\w']+$/.test(text) ? text : `(${text})`)),
}));

const assignment = join(
  '% % %',
  one(...FIELDS, 'o.x', 'o.n', 'l[0]'),
  one('=', '=', '=', '+=', '-=', '+?='),
  expression,
);
const data = fc.oneof(
  join('SET %', list(assignment, ', ', 1, 3)),
  join('CONTENT { a: %, b: % }', expression, expression),
  join('MERGE { o: { x: % }, c: % }', expression, expression),
  join('REPLACE { a: % }', expression),
  join(
    "PATCH [{ op: '%', path: '/%', value: % }]",
    one('add', 'replace', 'remove', 'test'),
    one('a', 'o/x', 'l/0', 'l/-', 'n/m'),
    expression,
  ),
  join('UNSET %', list(one(...FIELDS, 'o.x', 'l[0]'), ', ', 1, 2)),
);
const output = maybe(
  one(
    ' RETURN NONE',
    ' RETURN BEFORE',
    ' RETURN AFTER',
    ' RETURN DIFF',
    ' RETURN a, b',
    ' RETURN VALUE a',
    ' RETURN $before.a AS was, a',
  ),
);
const target = one('t', 't', 't:1', 't:2', 't:9', '[t:1, t:2]', 't:1..3', 't:1->e');
const where = maybe(join(' WHERE %', expression), 3);
const AGGREGATES = [
  'count()',
  'count(a)',
  'math::sum(a)',
  'math::mean(a)',
  'math::max(a)',
  'math::min(a)',
  'array::group(a)',
  'array::distinct(a)',
  'array::len(l)',
  'a',
];

const select = fc.oneof(
  join(
    'SELECT % FROM %%%%;',
    list(fc.oneof(one('*'), join('% AS f', expression), expression), ', ', 1, 2),
    target,
    where,
    maybe(one(' SPLIT l', ' SPLIT o')),
    maybe(one(' LIMIT 2', ' START 1', ' LIMIT 1 START 1')),
  ),
  join('SELECT VALUE % FROM %%;', expression, target, where),
  join('SELECT *, % AS k FROM t% ORDER BY k%, id;', path, where, one('', ' DESC', ' COLLATE', ' NUMERIC')),
  join('SELECT %, % FROM t% GROUP BY %;', one(...AGGREGATES), one(...AGGREGATES), where, one('b', 'c', 'a', 'b, c')),
  join('SELECT %, % AS n FROM t% GROUP ALL;', one(...AGGREGATES), one(...AGGREGATES), where),
  join('SELECT * FROM t% FETCH %;', where, one('link', 'l', 'o.x', '->e')),
  join('SELECT * OMIT % FROM t;', one(...FIELDS, 'o.x', 'l[0]', 'o.*')),
);

const write = fc.oneof(
  join('% % %%%;', one('UPDATE', 'UPSERT'), target, data, where, output),
  join('CREATE % %%;', one('t:7', 't:1', 'n:1', 't:7'), data, output),
  join('DELETE %%%;', target, where, output),
  join('RELATE %->e->% SET w = %%;', record, record, expression, output),
  join(
    'INSERT INTO t { id: %, a: % }%;',
    one('7', '1', "'x'", 't:8', '[1, 2]'),
    expression,
    maybe(one(' ON DUPLICATE KEY UPDATE a += 1', ' RETURN a')),
  ),
  join(
    'INSERT % INTO t (id, a, b) VALUES (1, %, %), (8, %, NONE);',
    one('', 'IGNORE'),
    expression,
    expression,
    expression,
  ),
);

const rows = fc.array(
  fc.record({
    a: scalar,
    b: one('1', '2', "'x'", 'NONE'),
    c: one('true', 'false', 'NULL'),
    l: one('[1, 2, 3]', '[]', '[[1], [2]]', 'NONE', "['b', 'a', 'b']"),
    o: one('{ x: 1, y: { z: 2 } }', '{}', 'NONE'),
  }),
  { minLength: 3, maxLength: 3 },
);

/** Statements that fill two tables and an edge table. */
const setup = rows.map((all) =>
  [
    ...all.map(
      ({ a, b, c, l, o }, at) =>
        `CREATE t:${at + 1} SET a = ${a}, b = ${b}, c = ${c}, l = ${l}, o = ${o}, link = u:a RETURN NONE;`,
    ),
    "CREATE u:a SET a = 1, b = 'u' RETURN NONE;",
    'RELATE t:1->e:1->t:2 SET w = 1 RETURN NONE; RELATE t:1->e:2->t:3 SET w = 2 RETURN NONE;',
  ].join('\n'),
);

/** A case: the data, and the statements to be compared, each of them a line. */
export const cases = {
  expression: fc.tuple(setup, fc.array(join('RETURN %;', expression), { minLength: 1, maxLength: 6 })),
  select: fc.tuple(setup, fc.array(select, { minLength: 1, maxLength: 4 })),
  write: fc.tuple(
    setup,
    fc.array(fc.oneof(write, write, fc.constant('SELECT * FROM t;')), { minLength: 1, maxLength: 4 }),
  ),
};
