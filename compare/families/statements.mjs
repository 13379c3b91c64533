// Families of statements: what reads, writes, steers and runs in transactions, with their clauses.
import { operand, VALUES } from './values.mjs';

/** @typedef {import('./random.mjs').Random} Random */

const SETUP =
  "CREATE t:1 SET a = 1, b = 'x', c = true, l = [1, 2], o = { x: 1, y: { z: 2 } }, link = u:a;\nCREATE t:2 SET a = 2, b = 'y', c = false, l = [2, 3, 2], o = { x: 3 }, link = u:b;\nCREATE t:3 SET a = 2.5, b = 'x', l = [], link = u:nope;\nCREATE u:a SET name = 'Ann', n = 1; CREATE u:b SET name = 'Bob', n = 2;\nRELATE t:1->e:1->u:a SET w = 1; RELATE t:2->e:2->u:b SET w = 2;";
const INDEXES = [
  '',
  '',
  'DEFINE INDEX ia ON t FIELDS a;',
  'DEFINE INDEX iab ON t FIELDS b, a;',
  'DEFINE INDEX il ON t FIELDS l;',
  'DEFINE INDEX ux ON u FIELDS name UNIQUE;',
];

const LISTS = {
  field: ['a', 'b', 'c', 'l', 'o', 'o.x', 'o.y.z', 'link', 'id'],
  expression: [
    'a + 1',
    "b + '!'",
    'l[0]',
    'o.x ?? 0',
    'link.name',
    '->e->u.name',
    'math::sum(l)',
    'a > 1',
    '[a, b]',
    '{ v: a }',
    '(SELECT VALUE n FROM u)',
    'l.len()',
    'count(l)',
    '<string> a',
    '$this.a',
    'IF a > 1 { b } ELSE { a }',
    'o.*',
    "'c'",
    'NONE',
    '1',
  ],
  aggregate: [
    'count()',
    'math::sum(a)',
    'math::mean(a)',
    'math::max(a)',
    'math::min(a)',
    'array::group(a)',
    'array::distinct(a)',
    'count(a > 1)',
    'a',
    'array::group(l)',
    'array::first(a)',
    'array::join(b, "-")',
  ],
  condition: [
    'a = 2',
    'a > 1',
    'a >= 2 AND b = "x"',
    "b IN ['x', 'z']",
    'l CONTAINS 2',
    'c',
    '!c',
    'o.x = 1',
    'link.name = "Ann"',
    'a = NONE',
    'a != 2 OR c',
    '->e',
    'id = t:2',
    'a IN 1..=2',
    'l CONTAINSANY [1, 3]',
    'b < "y"',
    'a BETWEEN',
    'o',
  ].filter((text) => !text.endsWith('BETWEEN')),
  target: [
    't',
    't',
    't',
    't:1',
    't:2',
    't:9',
    '[t:1, t:3]',
    't:1..3',
    't:1..=2',
    't, u',
    'ONLY t:1',
    'ONLY t:9',
    '(SELECT * FROM t)',
    '[1, 2]',
    '{ a: 5 }',
    't:1->e',
    't:1->e->u',
    'nope',
    'ONLY t',
  ],
  written: [
    't',
    't',
    't:1',
    't:2',
    't:9',
    '[t:1, t:2]',
    't:1..3',
    'ONLY t:1',
    'ONLY t:9',
    'ONLY t',
    'nope:1',
    't:1->e',
    "type::record('t', 2)",
  ],
  order: ['a', 'a DESC', 'b, a DESC', 'b COLLATE', 'b DESC, id', 'id DESC', 'o.x', 'a NUMERIC'],
  output: [
    '',
    '',
    '',
    'RETURN NONE',
    'RETURN BEFORE',
    'RETURN AFTER',
    'RETURN DIFF',
    'RETURN a, b',
    'RETURN VALUE a',
    'RETURN $before.a AS was, a',
    'RETURN NULL',
  ],
  data: [
    'SET a = 7',
    'SET a += 1, b = "z"',
    'SET a -= 1',
    'SET l += 9',
    'SET l -= 2',
    'SET l +?= 2',
    'SET o.x = 5, o.n = 6',
    'CONTENT { a: 5 }',
    'CONTENT { id: 3, a: 5 }',
    'MERGE { o: { n: 1 }, a: 4 }',
    'REPLACE { b: 1 }',
    'UNSET a, o.x',
    'UNSET l',
    "PATCH [{ op: 'add', path: '/n', value: 1 }]",
    "PATCH [{ op: 'remove', path: '/a' }]",
    "PATCH [{ op: 'replace', path: '/o/x', value: 2 }]",
    'SET a = NONE',
    'SET n = a + 1',
    'SET l[0] = 5',
    'SET o = { x: 1 }',
    '',
    'SET id = t:5',
    'SET a = $value',
    'CONTENT 5',
    'SET link = u:b',
  ],
};

/** @param {Random} random */
function select(random) {
  const projection = () =>
    random.pick([
      '*',
      '*',
      '{field}',
      '{field}, {field}',
      '{expression} AS f',
      '{expression}',
      '*, {expression} AS f',
      'VALUE {field}',
      'VALUE {expression}',
      'id, {expression}',
    ]);
  const grouped = random.below(5) === 0;
  const clauses = grouped
    ? [random.maybe('WHERE {condition}', 3), random.pick(['GROUP ALL', 'GROUP BY b', 'GROUP BY b, c'])]
    : [
        random.maybe('WHERE {condition}'),
        random.maybe('SPLIT l', 8),
        random.maybe('ORDER BY {order}', 3),
        random.maybe(random.pick(['LIMIT 2', 'LIMIT 1 START 1', 'START 1', 'LIMIT 0']), 4),
        random.maybe(random.pick(['FETCH link', 'FETCH link, o', 'FETCH ->e']), 6),
      ];
  // What rows are grouped by must be selected.
  const groups =
    grouped && clauses.includes('GROUP ALL')
      ? ['{aggregate}', '{aggregate}, {aggregate} AS m']
      : ['{aggregate} AS n, b, c', 'b, c, {aggregate}'];
  const what = grouped ? random.pick(groups) : projection();
  const source = grouped || clauses.some((clause) => clause.startsWith('ORDER')) ? 't' : '{target}';
  const order = clauses.find((clause) => clause.startsWith('ORDER'));
  // What is ordered by, or taken apart, must be selected.
  const selected = order === undefined && !clauses.some((clause) => clause.startsWith('SPLIT')) ? what : '*';
  const omit = !grouped && selected === '*' ? random.maybe(' OMIT {field}', 6) : '';
  return `SELECT ${selected}${omit} FROM ${source} ${clauses.filter(Boolean).join(' ')};`;
}

/** @param {Random} random */
function write(random) {
  return random.pick([
    'UPDATE {written} {data} WHERE {condition} {output};',
    'UPDATE {written} {data} {output};',
    'UPDATE {written} {data} {output};',
    'UPSERT {written} {data} {output};',
    'UPSERT {written} {data} {output};',
    'UPSERT t {data} WHERE {condition} {output};',
    'DELETE {written} {output};',
    'DELETE {written} WHERE {condition} {output};',
    'CREATE t:7 {data} {output};',
    'CREATE t:1 {data} {output};',
    'CREATE ONLY t:8 {data} {output};',
    'CREATE |t:10..12| {data} {output};',
    'RELATE t:1->e:9->u:b {data} {output};',
    'RELATE ONLY t:1->e:1->t:2 {data} {output};',
    'RELATE [t:1, t:2]->e:8->u:a {data} {output};',
    'INSERT INTO t { id: 7, a: 1 } {output};',
    'INSERT INTO t [{ id: 1, a: 9 }, { id: 8 }] {output};',
    'INSERT IGNORE INTO t { id: 1, a: 9 } {output};',
    'INSERT INTO t { id: 1, a: 9 } ON DUPLICATE KEY UPDATE a += 1 {output};',
    'INSERT INTO t (id, a, b) VALUES (1, 2, 3), (9, 8, 7) {output};',
    'INSERT INTO t (id, a) VALUES (1, 5) ON DUPLICATE KEY UPDATE a = $input.a {output};',
    'INSERT RELATION INTO e { id: 7, in: t:1, out: u:b, w: 3 } {output};',
    'UPDATE t {data} WHERE {condition} {output} TIMEOUT 5s;',
    'DELETE u:a {output};',
    'UPSERT ONLY u:c SET name = "Cy" {output};',
    'INSERT { id: t:6, a: 1 } {output};',
  ]);
}

/** @param {Random} random */
export function statements(random) {
  const body = random.some(['select', 'select', 'select', 'write', 'write', 'check'], 4, 7).map((kind) => {
    if (kind === 'check') return 'SELECT * FROM t, u, e;';
    return random
      .fill(random.fill(kind === 'select' ? select(random) : write(random), LISTS), LISTS)
      .replace(/ +/g, ' ')
      .replace(' ;', ';');
  });
  return [SETUP, random.pick(INDEXES), ...body].filter(Boolean).join('\n');
}

const CONTROL = [
  'LET $x = {value}; RETURN [$x, $x];',
  'LET $x: int = {value}; RETURN $x;',
  'IF {value} { 1 } ELSE { 2 };',
  'IF {value} THEN 1 ELSE IF {value} THEN 2 ELSE 3 END;',
  'RETURN { LET $a = {value}; $a };',
  'RETURN { IF {value} { RETURN 1 }; 2 };',
  'FOR $i IN [1, 2, 3] { CREATE type::record("f", $i) SET v = {value} }; SELECT * FROM f;',
  'FOR $i IN 0..3 { IF $i = 1 { CONTINUE }; IF $i = 2 { BREAK }; CREATE f SET i = $i }; SELECT VALUE i FROM f;',
  'FOR $i IN {value} { CREATE g:1 };',
  'THROW {value};',
  'BEGIN; CREATE f:1; THROW {value}; COMMIT; SELECT * FROM f;',
  'BEGIN; CREATE f:2 SET v = {value}; COMMIT; SELECT * FROM f;',
  'BEGIN; CREATE f:3; CANCEL; SELECT * FROM f;',
  'BEGIN; LET $x = {value}; RETURN $x; COMMIT;',
  'RETURN ({value});',
  'LET $f = |$a: int, $b| $a + $b; RETURN $f(1, {value});',
  'LET $f = |$a: int| -> string { RETURN <string> $a }; RETURN $f({value});',
  'RETURN [1, 2, 3].map(|$v, $i| [$v, $i, {value}]);',
  'DEFINE FUNCTION fn::f($a: int, $b: option<string>) -> any { RETURN [$a, $b] }; RETURN fn::f({value}); RETURN fn::f(1, {value});',
  'DEFINE FUNCTION fn::g($a: any) { RETURN IF $a { "yes" } ELSE { $a } }; RETURN fn::g({value});',
  'DEFINE PARAM $p VALUE {value}; RETURN $p;',
  'CREATE f:1 SET v = {value}; SELECT * FROM f; SELECT VALUE v FROM f WHERE v = {value}; RETURN f:1.v;',
  'CREATE f:1 SET v = {value}; CREATE f:2 SET v = {value}; CREATE f:3 SET v = {value}; SELECT VALUE v FROM f ORDER BY v; SELECT v, count() FROM f GROUP BY v; DEFINE INDEX i ON f FIELDS v; SELECT VALUE id FROM f WHERE v = {value}; SELECT VALUE id FROM f WHERE v > {value};',
  'SELECT * FROM {value};',
  'UPDATE {value} SET a = 1;',
  'CREATE {value};',
  'DELETE {value};',
  'SLEEP 0ns; RETURN {value};',
  'RETURN <future> 1;'.replace('<future> 1', '{value}'),
  'SELECT * FROM ONLY {value} LIMIT 1;',
  'SELECT VALUE $this FROM {value};',
  'UPSERT f:1 CONTENT {value};',
  'UPSERT f:1 MERGE {value};',
  'INSERT INTO f {value};',
  'LET $r = type::record("f", {value}); RETURN $r; CREATE $r; SELECT * FROM f;',
  'RETURN { a: {value}, b: [{value}] };',
  'RETURN [{value}, {value}].distinct();',
  'RETURN [{value}, {value}, {value}].sort();',
];

/** @param {Random} random */
export function control(random) {
  const values = { value: VALUES.map((text) => operand(text)) };
  return random
    .some(CONTROL, 3, 5)
    .map((pattern) => random.fill(pattern, values))
    .join('\n');
}
