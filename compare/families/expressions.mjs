// Families of expressions: operators, casts, paths, functions.
import { BINARY, MEMBERSHIP } from '../operators.mjs';
import {
  DATES,
  GEOMETRIES,
  LISTS,
  NUMBERS,
  OBJECTS,
  operand,
  RANGES,
  RECORDS,
  SETS,
  STRINGS,
  TIMES,
  VALUES,
} from './values.mjs';

/** @typedef {import('./random.mjs').Random} Random */

const PREFIX = ['-', '!', '!!', '+', '- -', '!-'];
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
  'bytes',
  'record',
  'record<t>',
  'range',
  'geometry',
  'geometry<point>',
  'regex',
  'function',
  'array<int>',
  'array<string, 2>',
  'set<int>',
  'set<float, 3>',
  'option<int>',
  'int | string',
  'array<int | bool>',
  'none',
  'null',
  'any',
  'file',
  'table',
  'geometry<line | polygon>',
  'option<array<decimal>>',
  "'a' | 'b'",
  '1 | 2',
  '{ a: int }',
  '[int, string]',
];

/** @param {Random} random @param {number} size @param {() => string} one */
const lines = (random, size, one) => Array.from({ length: size + random.below(3) }, one).join('\n');

/** @param {Random} random */
export function operators(random) {
  return lines(random, 8, () => {
    const [left, right, third] = [
      operand(random.pick(VALUES)),
      operand(random.pick(VALUES)),
      operand(random.pick(VALUES)),
    ];
    const [first, second] = [random.pick(random.below(2) ? BINARY : MEMBERSHIP), random.pick(BINARY)];
    if (random.below(8) === 0) return `RETURN ${random.pick(PREFIX)}${left};`;
    // Comparisons can't be chained, so that the second operator stands outside of the first one's parentheses.
    if (random.below(6) === 0) return `RETURN (${left} ${first} ${right}) ${second} ${third};`;
    return `RETURN ${left} ${first} ${right};`;
  });
}

/** @param {Random} random */
export function casts(random) {
  return lines(random, 8, () => {
    const value = operand(random.pick(VALUES));
    if (random.below(5) === 0) return `LET $x: ${random.pick(KINDS)} = ${value}; RETURN $x;`;
    return `RETURN <${random.pick(KINDS)}> ${value};`;
  });
}

const FILLED =
  "CREATE t:1 SET a = 1, b = 'x', l = [1, 2, 3], o = { x: 1, y: { z: 2 } }, m = [{ k: 1, v: [1] }, { k: 2 }], link = t:2, links = [t:2, t:3], p = (1.5, 2);\nCREATE t:2 SET a = 2, link = t:3; CREATE t:3 SET a = 3, o = NULL;\nRELATE t:1->e:1->t:2 SET w = 1; RELATE t:1->e:2->t:3 SET w = 2; RELATE t:2->e:3->t:3 SET w = 3;";
const HEADS = [
  'a',
  'b',
  'l',
  'o',
  'm',
  'link',
  'links',
  'p',
  'n',
  'id',
  '->e',
  '->e->t',
  '<-e<-t',
  '<->e',
  '->(e WHERE w > 1)',
  '->?',
  '$this',
  '@',
];
const PARTS = [
  '.a',
  '.x',
  '.y.z',
  '.k',
  '.v',
  '.w',
  '.id',
  '.*',
  '[0]',
  '[-1]',
  '[$]',
  '[*]',
  '[9]',
  "['x']",
  '[1..]',
  '[0..=1]',
  '[WHERE a > 1]',
  '[? k = 2]',
  '.{ x, y }',
  '.{ a, b: a }',
  '.?',
  '…',
  '->e.w',
  '->e->t.a',
  '<-e',
  '.link.a',
  '.links.a',
  '.len()',
  '.first()',
  '.map(|$v| $v)',
  '.@',
  '.{1}.link',
  '.{1..2}.link',
  '.{..}(->e->t)',
  '.{2}->e->t',
  '.type',
  '.coordinates',
  '.o.*',
  '[WHERE w]',
  '.flatten()',
  '.id()',
  '.tb()',
];

/** @param {Random} random */
export function paths(random) {
  const path = () => {
    const head = random.pick(HEADS);
    const parts = random.some(PARTS, 1, 2).join('');
    return head + parts;
  };
  const body = lines(random, 5, () => {
    const drawn = path();
    const kind = random.below(5);
    if (kind === 0) return `SELECT VALUE ${drawn} FROM t;`;
    if (kind === 1) return `SELECT ${drawn} FROM t:1;`;
    if (kind === 2)
      return `SELECT ${drawn} AS f, a FROM t ORDER BY id;`.replace(', a FROM t ORDER BY id', ', id FROM t ORDER BY id');
    if (kind === 3) return `SELECT VALUE id FROM t WHERE ${drawn};`;
    return `RETURN ${random.pick(['t:1', 't:2', 't:9', '[t:1, t:2]', '{ o: { x: 1 }, l: [1], a: 3 }', '(SELECT * FROM t)'])}${random.some(PARTS, 1, 2).join('')};`;
  });
  return `${FILLED}\n${body}`;
}

/** Arguments for a parameter, by what its type's text begins with. @type {readonly (readonly [RegExp, readonly string[]])[]} */
const ARGUMENTS = [
  [/array<array|array<object|object>/, ['[[1, 2], [3, 4]]', "[['a', 1], ['b', 2]]", '[]']],
  [/^array<(?:number|int|float)/, ['[1, 2, 3]', '[]', '[1.5, 2.5]', '[4, 1, 3, 1]', '[1dec, 2]']],
  [/^array<string/, ["['a', 'b']", '[]', "['b', 'é', 'a']"]],
  [/^array/, LISTS],
  [/^set/, SETS],
  [/^(?:int|number|float|decimal)/, NUMBERS],
  [/^string/, STRINGS],
  [/^duration/, TIMES],
  [/^datetime/, DATES],
  [/^object/, OBJECTS],
  [/^geometry|^point/, GEOMETRIES],
  [/^record/, RECORDS],
  [/^range/, RANGES],
  [/^bool/, ['true', 'false']],
  [/^function/, ['|$v| $v', '|$v| $v > 1', '|$a, $b| $a']],
  [/^bytes/, ['b"0aff"', 'b""', "<bytes>'abc'"]],
  [/^uuid/, ["u'0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b'"]],
  [/^regex/, ['/a/', '/[0-9]+/']],
];

/** What can't give the same twice, or reaches outside. */
const UNEQUAL =
  /^(?:rand|http|api|file|ml|sleep|sequence|crypto::(?:argon2|bcrypt|pbkdf2|scrypt|totp)|time::(?:now|micros|millis|nano|unix)|array::shuffle|value::(?:diff|patch)|session|search|schema)\b|time::from_ulid|totp/;

/**
 * @param {Random} random
 * @param {readonly { name: string, parameters: readonly { type: string, optional: boolean }[] }[]} all
 */
export function functions(random, all) {
  const known = all.filter(({ name }) => !UNEQUAL.test(name));
  return lines(random, 8, () => {
    const { name, parameters } = random.pick(known);
    const given = parameters.filter(({ optional }) => !optional || random.below(2) === 0);
    const values = given.map(({ type }) => {
      const fitting = ARGUMENTS.find(([pattern]) => pattern.test(type));
      return random.pick(fitting === undefined || random.below(6) === 0 ? VALUES : fitting[1]);
    });
    if (random.below(20) === 0) values.push('1');
    if (random.below(20) === 0) values.pop();
    return `RETURN ${name}(${values.join(', ')});`;
  });
}
