// Families of what fails: when it is run, and when it is parsed.

/** @typedef {import('./random.mjs').Random} Random */

const LISTS = {
  value: [
    '1',
    "'x'",
    'NONE',
    'NULL',
    '[1]',
    '{ a: 1 }',
    't:1',
    '1.5',
    'true',
    '1h',
    "d'2024-01-01T00:00:00Z'",
    '1dec',
    '|$x| $x',
    '1..2',
    '(1.5, 2)',
    '/a/',
    '{1, 2}',
    'b"00"',
  ],
  call: [
    'math::sum',
    'array::len',
    'string::len',
    'array::map',
    'string::split',
    'time::format',
    'type::record',
    'type::field',
    'math::pow',
    'object::from_entries',
    'duration::from_secs',
    'geo::distance',
    'string::repeat',
    'array::range',
    'record::exists',
    'parse::url::host',
    'encoding::base64::decode',
    'set::union',
    'rand::int',
    'array::clump',
    'array::at',
    'string::slice',
    'type::int',
    'type::datetime',
    'type::geometry',
    'vector::add',
    'count',
  ],
};
const FAILING = [
  'RETURN {call}({value});',
  'RETURN {call}({value}, {value});',
  'RETURN {call}({value}, {value}, {value});',
  'RETURN {call}();',
  'RETURN {value}.nope();',
  'RETURN {value}.len();',
  'RETURN fn::nope({value});',
  'RETURN {value}[{value}];',
  'RETURN {value}.{ a };',
  'RETURN $nope({value});',
  'SELECT * FROM ONLY {value};',
  'CREATE ONLY {value};',
  'UPDATE ONLY t;',
  'SELECT * FROM t LIMIT {value};',
  'SELECT * FROM t START {value};',
  'SELECT * FROM t TIMEOUT {value};',
  'SELECT * FROM [1] SPLIT a;',
  'RELATE ({value})->e->({value});',
  'INSERT INTO t { a: {value} };',
  'INSERT INTO t {value};',
  'INSERT INTO t (a, b) VALUES (1, {value});',
  'CREATE t:1; CREATE t:1;',
  'CREATE t CONTENT {value};',
  'UPSERT t:1 MERGE {value};',
  'UPSERT t:1 REPLACE {value};',
  'UPSERT t:1 PATCH {value};',
  "UPSERT t:1 PATCH [{ op: 'test', path: '/a', value: {value} }];",
  "UPSERT t:1 PATCH [{ op: 'nope', path: '/a' }];",
  "UPSERT t:1 PATCH [{ op: 'replace', path: '/a/b', value: {value} }];",
  'LET $auth = 1;',
  'LET $x: string = {value};',
  'THROW {value};',
  'DEFINE FIELD a ON t TYPE int; CREATE t SET a = {value};',
  'DEFINE FIELD a ON t ASSERT $value = 1; CREATE t:1 SET a = {value};',
  'DEFINE TABLE s SCHEMAFULL; CREATE s:1 SET a = {value};',
  'DEFINE TABLE d; DEFINE TABLE d;',
  'DEFINE INDEX u ON t FIELDS a UNIQUE; CREATE t:1 SET a = {value}; CREATE t:2 SET a = {value};',
  'REMOVE TABLE nope;',
  'REMOVE INDEX nope ON t;',
  'REMOVE FIELD nope ON t;',
  'REMOVE EVENT nope ON t;',
  'REMOVE PARAM $nope;',
  'REMOVE FUNCTION fn::nope;',
  'REMOVE USER nope ON ROOT;',
  'REMOVE ACCESS nope ON DATABASE;',
  'REMOVE ANALYZER nope;',
  'REMOVE SEQUENCE nope;',
  'INFO FOR TABLE nope;',
  'INFO FOR INDEX nope ON t;',
  'INFO FOR USER nope;',
  'REBUILD INDEX nope ON t;',
  'ALTER TABLE nope SCHEMAFULL;',
  'ALTER FIELD nope ON t TYPE int;',
  'USE NS {value};'.replace('{value}', 'nope'),
  'USE DB nope; INFO FOR DB;',
  'KILL u"0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b";',
  'COMMIT;',
  'CANCEL;',
  'BEGIN; BEGIN; COMMIT;',
  'BREAK;',
  'CONTINUE;',
  'SHOW CHANGES FOR TABLE t SINCE 1;',
  'BEGIN; CREATE t:1; CREATE t:1; CREATE t:2; COMMIT;',
  'BEGIN; RETURN 1; THROW {value}; RETURN 2; COMMIT;',
  'FOR $x IN {value} { CREATE t };',
  'RETURN sequence::nextval({value});',
  'SELECT * FROM t WITH INDEX nope;',
  'SELECT * FROM t ORDER BY a LIMIT -1;',
  'DEFINE FUNCTION fn::a($x: int) { $x }; RETURN fn::a({value}); RETURN fn::a(); RETURN fn::a(1, {value});',
  'DEFINE EVENT v ON t THEN { THROW {value} }; CREATE t:1;',
  'DEFINE TABLE r TYPE RELATION; CREATE r:1; INSERT INTO r {value};',
  'DEFINE TABLE r TYPE NORMAL; RELATE t:1->r->t:2;',
  'UPDATE t:1 SET id = {value};',
  'CREATE t:1; UPDATE t:1 SET id = {value};',
  'CREATE t:1 SET a = 1; UPDATE t:1 SET a += {value};',
  'CREATE t:1 SET a = 1; UPDATE t:1 SET a.b = {value};',
  'SELECT VALUE a FROM {value};',
  'RETURN -{value};',
  'RETURN {value} + {value};',
  'RETURN {value} - {value};',
  'RETURN {value} * {value};',
  'RETURN {value} / {value};',
  'RETURN {value} % {value};',
  'RETURN {value} ** {value};',
  'RETURN {value} CONTAINS {value};',
];

/** @param {Random} random */
export function errors(random) {
  return random
    .some(FAILING, 6, 9)
    .map((pattern) => random.fill(pattern, LISTS))
    .join('\n');
}

const SOUND = [
  'SELECT a, b AS c FROM person WHERE a = 1 AND b IN [1, 2] ORDER BY a DESC LIMIT 5 START 2 FETCH c;',
  'CREATE person:1 SET a = 1, b = { c: [1, 2] } RETURN NONE;',
  "UPDATE person MERGE { a: 'x' } WHERE id = person:1 TIMEOUT 5s;",
  'RELATE a:1->knows->b:2 CONTENT { since: d"2024-01-01T00:00:00Z" };',
  'INSERT INTO t (a, b) VALUES (1, 2), (3, 4);',
  'DEFINE FIELD name ON TABLE person TYPE option<string> DEFAULT "x" ASSERT $value != NONE PERMISSIONS FOR select FULL;',
  'DEFINE TABLE t SCHEMAFULL TYPE RELATION IN a OUT b CHANGEFEED 1d;',
  'DEFINE INDEX i ON TABLE t COLUMNS a, b.c UNIQUE;',
  'RETURN [1, 2, 3].map(|$v: int| $v * 2);',
  'IF $a = 1 { RETURN 1 } ELSE IF $b { 2 } ELSE { 3 };',
  'FOR $i IN [0, 10] { CREATE t SET i = $i; };',
  'LET $x: array<int> = [1, 2.5f, 3dec];',
  'RETURN <int> "1" + 2 ** 3 - -4 / (5 % 6);',
  'SELECT ->knows->(person WHERE age > 18).name AS friends FROM person:1;',
  'RETURN a:[1, "x"].b[0][WHERE c > 1].{ d, e: f }.*;',
  'DEFINE FUNCTION fn::add($a: int, $b: int) -> int { RETURN $a + $b };',
  'DEFINE USER u ON DATABASE PASSWORD "x" ROLES OWNER DURATION FOR TOKEN 1h;',
  'DEFINE ACCESS a ON DATABASE TYPE RECORD SIGNUP (CREATE u) SIGNIN (SELECT * FROM u);',
  'DELETE person WHERE a ?? b ?: c RETURN BEFORE;',
  "RETURN { a: 1, 'b': [true, false, NONE, NULL], c: 1h30m, d: /re/, e: u'0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b' };",
  'USE NS test DB test;',
  'INFO FOR TABLE t STRUCTURE;',
  'BEGIN TRANSACTION; COMMIT TRANSACTION;',
  'REMOVE TABLE IF EXISTS t;',
  'RETURN 1..=5;',
  'SELECT count() FROM t GROUP ALL;',
  'LIVE SELECT * FROM t WHERE a > 1;',
  'DEFINE EVENT e ON t WHEN $before != $after THEN (CREATE log);',
  "RETURN type::record('a', 1).b.c();",
];
const STRAY = [
  "'",
  '"',
  '`',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  ',',
  ';',
  ':',
  '::',
  '.',
  '..',
  '->',
  '<-',
  '=',
  '==',
  '!',
  '@',
  '$',
  '|',
  '&',
  '%',
  '*',
  '+',
  '-',
  '/',
  '<',
  '>',
  '?',
  '~',
  '^',
  '\\',
  '#',
  '1',
  '1x',
  'x',
  '1.',
  '1e',
  '0x1',
  '1h2x',
  'SELECT',
  'FROM',
  'WHERE',
  'SET',
  'NONE',
  'fn::',
  'math::',
  '$x',
  "d'x'",
  "u'x'",
  'r"x"',
  'b"0"',
  '⟨',
  'é',
  '\u00a0',
  '1..',
  "'\\u{zz}'",
  '99999999999999999999',
  'count(',
  '<int>',
  '=>',
  '⟩',
  '...',
  '|$a|',
];
/** Words, numbers, texts and signs of a statement, and the blanks between them. */
const PIECE = /\s+|[\w$]+|'[^']*'|"[^"]*"|[^\w\s]/g;

/** One fault in a sound statement: a piece left out, doubled, swapped with the next or replaced, something put in, or the end cut off. @param {Random} random */
function broken(random) {
  const pieces = random.pick(SOUND).match(PIECE) ?? [];
  const at = random.below(pieces.length);
  switch (random.below(7)) {
    case 0:
      pieces.splice(at, 1);
      break;
    case 1:
      pieces.splice(at, 0, /** @type {string} */ (pieces[at]));
      break;
    case 2:
      pieces.splice(at, 2, pieces[at + 1] ?? '', /** @type {string} */ (pieces[at]));
      break;
    case 3:
    case 4:
      pieces.splice(at, 1, random.pick(STRAY));
      break;
    case 5:
      pieces.splice(at, 0, random.pick(STRAY));
      break;
    default:
      pieces.length = at;
  }
  return pieces.join('').replaceAll('\n', ' ');
}

/** Each line is a text of its own, so that a fault swallows nothing of what follows. @param {Random} random */
export function parseErrors(random) {
  return Array.from({ length: 8 }, () => broken(random)).join('\n');
}
