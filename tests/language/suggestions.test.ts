/** Words with a slip in them in parse errors: which keyword is suggested, where, and when none is. */
import { describe, expect, test } from 'vitest';
import { TesseraError } from '../../src/errors/error.js';
import { GRAMMAR, parseQuery, parseStatement } from '../../src/language/parse.js';
import { Parser } from '../../src/language/parser/parser.js';
import { beginsStatement } from '../../src/language/parser/statement.js';
import { nearestKeyword, STATEMENT_WORDS } from '../../src/language/parser/suggestion.js';
import { StatementStream } from '../../src/language/statement-stream.js';

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof TesseraError && error.code === 'parse_error') return error.message;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** The suggested keywords, in the order of the snippets. */
const suggested = (message: string) => [...message.matchAll(/did you maybe mean `(\w+)`/g)].map(([, word]) => word);

test('a statement keeps its error and its place, and a second snippet shows the word', () => {
  expect(messageOf(() => parseQuery('RETURN 1; SELEC x'))).toBe(
    'Parse error: Unexpected token `an identifier`, expected Eof\n --> [1:17]\n  |\n1 | RETURN 1; SELEC x\n  |                 ^\n' +
      ' --> [1:11]\n  |\n1 | RETURN 1; SELEC x\n  |           ^^^^^ did you maybe mean `SELECT`?\n',
  );
});

test('a clause has the suggestion in the snippet of its error', () => {
  expect(messageOf(() => parseQuery('SELECT * FORM t'))).toBe(
    'Parse error: Unexpected token `an identifier`, expected FROM\n --> [1:10]\n  |\n1 | SELECT * FORM t\n  |          ^^^^ did you maybe mean `FROM`?\n',
  );
});

describe('what is suggested', () => {
  test.each([
    // Statements.
    ['SELEC x', 'SELECT'],
    ['selct * from person', 'SELECT'],
    ['CREAT person SET a = 1; RETURN 1', 'CREATE'],
    ['RETRUN 1', 'RETURN'],
    ['DEFIEN TABLE t', 'DEFINE'],
    ['LETT $a = 1', 'LET'],
    ['BEGIN; UPDAT a SET b = 1; COMMIT', 'UPDATE'],
    ['FOR $a IN [1] { CREAT person }', 'CREATE'],
    ['RETURN { LET $a = 1; SELEC x FROM t; }', 'SELECT'],
    ['RETURN { SELEC x FROM t }', 'SELECT'],
    // Clauses.
    ['SELECT * FROM t WHER a = 1', 'WHERE'],
    ['SELECT * FROM t ORDR BY a', 'ORDER'],
    ['SELECT * FROM t ORDER BY a DSEC', 'DESC'],
    ['UPDATE t STE a = 1', 'SET'],
    ['DELETE t WERE a = 1', 'WHERE'],
    ['RELATE a:1->b->c:1 ST x = 1', 'SET'],
    ['LIVE SELEC * FROM t', 'SELECT'],
    ['INFO FRO DB', 'FOR'],
    ['INFO FOR DATABSE', 'DATABASE'],
    ['USE NAMESPAC x', 'NAMESPACE'],
    ['SHOW CHANGS FOR TABLE t SINCE 1', 'CHANGES'],
    ['IF true { 1 } ELS { 2 }', 'ELSE'],
    ['IF true THN 1 END', 'THEN'],
    // Kinds of definitions and their clauses.
    ['DEFINE TABEL x', 'TABLE'],
    ['DEFINE FEILD a ON b', 'FIELD'],
    ['REMOVE TABEL x', 'TABLE'],
    ['ALTER TABEL x', 'TABLE'],
    ['REBUILD INDX a ON b', 'INDEX'],
    ['DEFINE TABLE t SCHEMFULL', 'SCHEMAFULL'],
    ['ALTER TABLE t SCHEMFULL', 'SCHEMAFULL'],
    ['DEFINE FIELD a ON b TYPE strng', 'STRING'],
    ['DEFINE INDEX i ON t FEILDS x', 'FIELDS'],
    ["DEFINE USER a ON ROOOT PASSWORD 'x'", 'ROOT'],
    ["DEFINE USER a ON ROOT PASWORD 'x'", 'PASSWORD'],
    ["DEFINE USER a ON ROOT PASSWORD 'x' ROLES ONWER", 'OWNER'],
  ])('%s', (text, word) => {
    expect(suggested(messageOf(() => parseQuery(text)))).toEqual([word]);
    expect(suggested(messageOf(() => parseStatement(text.replace(/^(BEGIN|RETURN 1); /, ''))))).toEqual([word]);
  });
});

test.each([
  'x y',
  'SELECT * FROM t other',
  'SELECT * FROM t LIMIT 1 WHERE a',
  'DEFINE TABLE a FOO',
  'SELECT * FROM t; SELECT 1 SELECT 2',
  'RETURN person a',
  '`SELEC` x',
  "'SELEC' x",
])('%s: nothing is near, or it is the very word in a wrong place', (text) => {
  expect(suggested(messageOf(() => parseQuery(text)))).toEqual([]);
});

test.each(['SELEC', 'UPDAT', '{ SELEC; x }', 'SELECT form FROM wher', 'CREATE creat SET selec = 1', 'RETURN fro'])(
  '%s is legal, as near as its names are to keywords',
  (text) => {
    expect(parseQuery(text).statements).toHaveLength(1);
  },
);

test('a text that comes in pieces is no different', () => {
  const stream = new StatementStream();
  stream.push('RETURN 1; SELEC x; RETURN 2;');
  stream.end();
  expect(suggested(messageOf(() => [...stream.statements()]))).toEqual(['SELECT']);
});

test('the words of statements are those that statements begin with', () => {
  const known = STATEMENT_WORDS.filter((word) => !beginsStatement(new Parser(word, GRAMMAR)));
  expect(known).toEqual(['EXPLAIN']);
});

test('swapped neighbours are one slip, and short words may have no other', () => {
  expect(nearestKeyword('STE', ['SET'])).toBe('SET');
  expect(nearestKeyword('FOO', ['FOR'])).toBeUndefined();
  expect(nearestKeyword('WEHRE', ['WHEN', 'WHERE'])).toBe('WHERE');
  expect(nearestKeyword('SET', ['SET', 'UNSET'])).toBeUndefined();
  expect(nearestKeyword('', ['SET'])).toBeUndefined();
});
