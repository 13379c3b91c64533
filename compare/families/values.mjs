// Values of every kind, as they are written.

export const NUMBERS = [
  '0',
  '1',
  '-1',
  '2',
  '7',
  '-7',
  '9223372036854775807',
  '-9223372036854775808',
  '1.5',
  '-0.5',
  '2f',
  '0.0',
  '-0f',
  '1e20',
  '1e-7',
  '3dec',
  '1.50dec',
  '0.1dec',
  '-2.5dec',
  'NaN',
  'math::inf',
];
export const STRINGS = [
  "''",
  "'a'",
  "'b'",
  "'Abc def'",
  "'1'",
  "'1.5'",
  "'-3'",
  "'true'",
  "'é'",
  "'a:1'",
  "'[1, 2]'",
  "'1h'",
  "'2024-02-29T12:00:00Z'",
  "'0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b'",
  '"it\'s"',
  "'a\\nb'",
];
export const TIMES = ['0ns', '1h', '1h30m', '2w', '1y2d', '1ms', '1ns', '-1h'].filter((text) => text[0] !== '-');
export const DATES = [
  "d'2024-02-29T12:00:00Z'",
  "d'1970-01-01T00:00:00.5Z'",
  "d'2024-12-31T23:59:59.123456789Z'",
  "d'0001-01-01T00:00:00Z'",
];
export const LISTS = [
  '[]',
  '[1, 2, 3]',
  '[3, 1, 2, 1]',
  "['b', 'a', 'b']",
  '[[1], [2, [3]]]',
  '[NONE, NULL, 1]',
  '[{ a: 1 }, { a: 2 }]',
  '[1, 1.5, 2dec]',
  '[true, false]',
  '[t:1, t:2]',
];
export const SETS = ['{,}', '{1,}', '{1, 2, 2}', "{'a', 'b'}"];
export const OBJECTS = [
  '{}',
  '{ a: 1 }',
  "{ b: 'x', a: { c: [1, 2] } }",
  '{ a: NONE, b: NULL }',
  "{ 'a-b': 1, '1': 2 }",
];
export const GEOMETRIES = [
  '(1.5, 2)',
  '(-1, 0.25)',
  "{ type: 'Point', coordinates: [1, 2] }",
  "{ type: 'LineString', coordinates: [[1, 2], [3, 4.5]] }",
  "{ type: 'Polygon', coordinates: [[[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]] }",
];
export const RANGES = ['1..3', '1..=3', '1>..3', "'a'..'c'", '..', '1..', '..2', '..=2', 'NONE..3'];
export const RECORDS = [
  't:1',
  't:9',
  "u:['x', 1]",
  'u:{ a: 1 }',
  't:⟨a b⟩',
  "u:u'0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b'",
  't:1..3',
];
export const OTHERS = [
  'NONE',
  'NULL',
  'true',
  'false',
  "u'0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b'",
  'b"0aff"',
  'b""',
  '/a.c/',
  '|$x| $x',
  'f"bucket:/a/b.txt"',
];
export const VALUES = [
  ...NUMBERS,
  ...STRINGS,
  ...TIMES,
  ...DATES,
  ...LISTS,
  ...SETS,
  ...OBJECTS,
  ...GEOMETRIES,
  ...RANGES,
  ...RECORDS,
  ...OTHERS,
];

/** A value that may stand beside any operator. @param {string} text */
export const operand = (text) =>
  /^(?:[\w.']+|\[.*\]|"[^"]*")$/s.test(text) && !text.includes('..') ? text : `(${text})`;
