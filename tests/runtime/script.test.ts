/** Embedded JavaScript: what it sees, what it gives back, and what it may ask the database. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openScripting, type Scripting } from '../support/scripting.js';

let scripting: Scripting;
beforeAll(async () => {
  scripting = await openScripting();
});
afterAll(() => scripting.database.close());

const PROBLEM = 'Problem with embedded script function.';
const THROWN = `${PROBLEM} An exception occurred:`;

describe('values come back as they were', () => {
  it.each([
    'NONE',
    'NULL',
    'true',
    '7',
    '1.5f',
    'NaN',
    'Infinity',
    '9223372036854775807',
    '-9223372036854775808',
    '1.10dec',
    "'a'",
    String.raw`'\u{2028} \u{1} \\ 𝄞'`,
    '1w2d3ns',
    "d'2020-01-01T00:00:00.123456789Z'",
    "u'018a6680-bef9-701b-9025-e1754f296a0f'",
    '[1, [NONE, [NULL]]]',
    '{1, 2}',
    '{ a: { b: [] } }',
    '{ "$": \'none\', v: 1 }',
    '{ __proto__: 1, constructor: 2 }',
    '(1, 2)',
    'b"00FF"',
    'person:1',
    "person:[1, { a: 'x' }]",
    'person:1..5',
    "person:u'018a6680-bef9-701b-9025-e1754f296a0f'",
    '1..5',
    '/a+/',
    'f"bucket:/path"',
  ])('%s', async (text) => {
    const [same, back] = await scripting.answers(`RETURN ${text}; RETURN function(${text}) { return arguments[0] }`);
    expect(back).toBe(same);
  });

  it.each([
    ['1f, which is a plain number', 'RETURN function(1f) { return arguments[0] }', '1'],
    ['NONE in objects isn’t there', 'RETURN function() { return { a: undefined, b: null } }', '{ b: NULL }'],
    [
      'a changed date',
      "RETURN function(d'2020-01-01T00:00:00.5Z') { arguments[0].setHours(1); return arguments[0] }",
      "d'2020-01-01T01:00:00.500Z'",
    ],
    ['a table', "RETURN type::of(function(type::table('person')) { return arguments[0] })", "'table'"],
  ])('%s', async (_, text, expected) => {
    expect(await scripting.answer(text)).toBe(expected);
  });
});

describe('results', () => {
  it.each([
    ['1 + 1', '2'],
    ['0.5', '0.5f'],
    ['2n ** 62n', '4611686018427387904'],
    ['2n ** 70n', '1180591620717411303424dec'],
    ['new Date(0)', "d'1970-01-01T00:00:00Z'"],
    ["new Duration('1w')", '1w'],
    ["new Record('user', 'ada')", 'user:ada'],
    ["new Record('user', [1, 'x']).id", "[1, 'x']"],
    ["new Record('user', 'ada').is(new Record('user', 'ada'))", 'true'],
    ["new Uuid('018a6680-bef9-701b-9025-e1754f296a0f').value", "'018a6680-bef9-701b-9025-e1754f296a0f'"],
    ["new Map([['a', 1]])", '{ a: 1 }'],
    ['new Set([3, 1, 3])', '{1, 3}'],
    ['new Uint8Array([1, 255])', 'b"01FF"'],
    ['[...arguments].length', '0'],
    ['await Promise.resolve(5)', '5'],
    ['(function* () { yield 1 })().next().value', '1'],
    ['typeof fetch + typeof require + typeof process', "'undefinedundefinedundefined'"],
  ])('%s', async (expression, expected) => {
    expect(await scripting.answer(`RETURN function() { return ${expression} }`)).toBe(expected);
  });
});

describe('errors', () => {
  it.each([
    ["throw new Error('no')", `${THROWN} no`],
    ["throw new TypeError('no')", `${THROWN} TypeError: no`],
    ["throw 'text'", `${THROWN} text`],
    ['throw { a: 1 }', `${THROWN} {"a":1}`],
    ['return undefined.x', `${THROWN} TypeError: cannot read property 'x' of undefined`],
    ['return () => 1', `${THROWN} TypeError: A function is not a value of the database`],
    ['return Symbol()', `${THROWN} TypeError: A symbol is not a value of the database`],
    ['return new Promise(() => {})', `${THROWN} The function waits for a promise that never settles`],
    ["return new Duration('soon')", `${PROBLEM} It returned an invalid duration`],
    ['return new Date(NaN)', `${PROBLEM} It returned an invalid datetime`],
    ["return new Record('', 1)", `${PROBLEM} It returned an invalid record`],
  ])('%s', async (body, expected) => {
    expect(await scripting.answer(`RETURN function() { ${body} }`)).toBe(expected);
  });

  it('reports text that is no JavaScript', async () => {
    expect(await scripting.answer('RETURN function() { return ( }')).toContain('SyntaxError');
  });

  it('takes no closures', async () => {
    expect(await scripting.answer('RETURN function(|$a| $a) { return 1 }')).toBe(
      `${PROBLEM} A closure can’t be passed to an embedded function`,
    );
  });
});

describe('a script may ask the database', () => {
  it.each([
    ["LET $a = { b: [1, 2] }; RETURN function() { return await surrealdb.value('$a.b[1]') }", '2'],
    ["RETURN function() { return surrealdb.functions.string.uppercase('abc') }", "'ABC'"],
    ["RETURN function() { return await surrealdb.functions.sleep(new Duration('1ms')) }", 'NONE'],
    ["RETURN function() { return surrealdb.functions.type.decimal('1.5') }", '1.5dec'],
    ["RETURN function() { return surrealdb.functions.type.decimal('1.5') * 2 }", '3'],
    ["RETURN function() { return await surrealdb.query('CREATE ONLY p:1 SET a = $a', { a: 5 }) }", '{ a: 5, id: p:1 }'],
    ["RETURN function() { return await surrealdb.query(new Query('SELECT VALUE a FROM p')) }", '[5]'],
    ['UPDATE ONLY p:1 SET b = function() { return this.a * 2 } RETURN VALUE b', '10'],
    ["RETURN function() { return await surrealdb.query('RETURN function() { return 6 }') }", '6'],
    ['RETURN [1, 2].map(|$x| function($x) { return arguments[0] + 1 })', '[2, 3]'],
    [
      'DEFINE FUNCTION fn::twice($n: int) { RETURN function($n) { return arguments[0] * 2 } }; RETURN fn::twice(4)',
      '8',
    ],
  ])('%s', async (text, expected) => {
    expect(await scripting.answer(text)).toBe(expected);
  });

  it.each([
    ['surrealdb.functions.no.such()', `${THROWN} Unknown function 'no::such' - not found in function registry`],
    [
      'surrealdb.functions.string.len()',
      `${THROWN} Incorrect arguments for function string::len(). Expected 1 argument`,
    ],
    [
      "await surrealdb.query('RETURN 1; RETURN 2')",
      `${THROWN} ${PROBLEM} surrealdb.query() takes one statement that reads or writes records`,
    ],
    [
      "await surrealdb.query('BEGIN')",
      `${THROWN} ${PROBLEM} surrealdb.query() takes one statement that reads or writes records`,
    ],
    [
      "await surrealdb.query('RETURN $auth', { auth: 1 })",
      `${THROWN} 'auth' is a protected variable and cannot be set`,
    ],
    ["await surrealdb.value('1 + 1')", `${THROWN} ${PROBLEM} surrealdb.value() takes a parameter or a path`],
  ])('%s', async (expression, expected) => {
    expect(await scripting.answer(`RETURN function() { return ${expression} }`)).toBe(expected);
  });

  it('can be caught by the script', async () => {
    const text = "RETURN function() { try { await surrealdb.query('THROW 1') } catch (e) { return 'caught' } }";
    expect(await scripting.answer(text)).toBe("'caught'");
  });
});

it('is off unless the server allows it', async () => {
  const closed = await openScripting({});
  expect(await closed.answer('RETURN function() { return 1 }')).toBe(`${PROBLEM} Embedded functions are not enabled.`);
  await closed.database.close();
});
