/** `tessera test`: what passes and fails, how that is reported, bad files, and the rules of the examples. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { CommandError } from '../../src/cli/command-error.js';
import { runTests, type TestOptions, watchTests } from '../../src/cli/test/run.js';

const SCHEMA = `
DEFINE TABLE user PERMISSIONS FOR select WHERE id = $auth;
DEFINE ACCESS account ON DATABASE TYPE RECORD
  SIGNUP (CREATE type::record('user', $name)) SIGNIN (SELECT * FROM type::record('user', $name));
DEFINE TABLE note PERMISSIONS FOR select, create, update, delete WHERE owner = $auth;
DEFINE FIELD text ON note TYPE option<string>;
`;
const PREPARED = `
CREATE user:ann, user:bob;
CREATE note:1 SET owner = user:ann;
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tessera-test-command-'));
  write('schema.surql', SCHEMA);
  mkdirSync(join(folder, 'tests'));
  return () => rmSync(folder, { recursive: true });
});

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

async function run(path = 'tests', options: Partial<TestOptions> = {}): Promise<{ code: number; printed: string }> {
  const output = new PassThrough();
  const schema = [join(folder, 'schema.surql')];
  const code = await runTests(join(folder, path), { reporter: 'text', schema, ...options }, output);
  const printed = String(output.read() ?? '')
    .replaceAll(`${folder}/`, '')
    .replace(/in \d+ ms/, 'in 5 ms')
    .replace(/ time="[\d.]+"/, '');
  return { code, printed };
}

/** The lines of a test that fails, without its statements. */
async function faultOf(steps: string): Promise<string> {
  write('tests/a.surql', `${PREPARED}-- test The test\n${steps}\n`);
  const { code, printed } = await run();
  expect(code).toBe(1);
  const [, who, expected, found] =
    /as {8}(.*)\n {2}expected {2}(.*)\n {2}found {5}([\s\S]*)\n\n0 passed, 1 failed in 5 ms\n$/.exec(printed) ?? [];
  return `${who}: ${expected}; ${found}`;
}

describe('a test passes', () => {
  it.each([
    ['results, equal by value', 'RETURN { b: 1, a: 2 };\n--> { a: 2, b: 1.0 }'],
    ['the last results alone', 'LET $a = 1; RETURN 1; RETURN $a;\n--> 1\n--> 1'],
    ['a result after its error', "THROW 'a'; RETURN 2;\n--! a\n--> 2"],
    ['a role', '-- as viewer\nSELECT * FROM note;\n-- sees note:1\nDEFINE TABLE a;\n--! not_allowed'],
    [
      'an editor',
      '-- as editor\nCREATE note:2;\nSELECT * FROM note;\n-- sees note:1, note:2\nDEFINE USER eve ON DATABASE PASSWORD "p";\n--! not_allowed',
    ],
    ['a guest', '-- as guest\nSELECT * FROM note;\n-- sees nothing\n--> []'],
    ['a record user who writes', '-- as user:bob via account\nCREATE note:2 SET owner = user:bob;\n-- sees note:2'],
    [
      'rows and values that are ids',
      '-- as user:ann via account\nSELECT VALUE id FROM note;\n-- sees note:1\n-- doesn’t see note:2',
    ],
    ['one row', 'SELECT * FROM ONLY note:1;\n-- sees note:1'],
    ['ids with commas', 'CREATE note:[1, 2], note:{ a: 1, b: 2 };\n-- sees note:[1, 2], note:{ a: 1, b: 2 }'],
    ['a sign-up', "-- signup account { name: 'cy' }\nRETURN $auth;\n--> user:cy"],
    ['a sign-in', "-- signin account { name: 'ann' }\nRETURN [$auth, $access];\n--> [user:ann, 'account']"],
    [
      'a refused sign-in, after which a guest goes on',
      "-- signin account { name: 'eve' }\n--! invalid_auth\nRETURN $auth;\n--> NONE",
    ],
    ['a parse error', 'SELEC 1;\n--! Parse error'],
    ['the token’s claims', "-- as user:ann via account\nRETURN $token.AC;\n--> 'account'"],
    ['statements over lines, with comments', '/* first */ RETURN -- why\n  1 +\n  1;\n--> 2'],
    ['Windows line ends', 'RETURN 1;\r\n--> 1\r'],
  ])('%s', async (_, steps) => {
    write('tests/a.surql', `${PREPARED}-- test The test\n${steps}\n`);
    expect(await run()).toEqual({ code: 0, printed: '1 passed, 0 failed in 5 ms\n' });
  });
});

describe('a test fails', () => {
  it.each([
    ['another value', 'RETURN 1;\n--> 2', 'owner: 2; 1'],
    ['a value instead of an error', 'RETURN 1;\n--! a', 'owner: the error a; 1'],
    ['an error instead of a value', "THROW 'a';\n--> 1", 'owner: 1; the error thrown: An error occurred: a'],
    ['another error', "THROW 'a';\n--! b", 'owner: the error b; the error thrown: An error occurred: a'],
    [
      'an error of which nothing is expected',
      "RETURN 1; THROW 'a'; RETURN 2;\n--> 2",
      'owner: no error; the error thrown: An error occurred: a',
    ],
    ['too few results', 'RETURN 1;\n--> 1\n--> 1', 'owner: another result; 1 results'],
    [
      'what isn’t seen',
      '-- as user:bob via account\nSELECT * FROM note;\n-- sees note:1',
      'user:bob via account: to see note:1; []',
    ],
    ['what is seen', 'SELECT id FROM note;\n-- doesn’t see note:1', 'owner: not to see note:1; [{ id: note:1 }]'],
    ['anything that is seen', 'SELECT id FROM note;\n-- sees nothing', 'owner: to see nothing; [{ id: note:1 }]'],
    [
      'a user who is missing',
      '-- as user:eve via account\nRETURN 1;',
      'user:eve via account: to run as user:eve via account; the error view_target_missing: There is no record user:eve to view as',
    ],
    [
      'an access method that is missing',
      '-- as user:ann via door',
      'user:ann via door: to run as user:ann via door; the error view_target_missing: There is no access method door for records to view as',
    ],
    [
      'a refused sign-in',
      "-- signin account { name: 'eve' }",
      'signin via account: to be signed in; the error invalid_auth: There was a problem with authentication',
    ],
  ])('by %s', async (_, steps, fault) => {
    expect(await faultOf(steps)).toBe(fault);
  });

  it('at the statement, or at what is expected of it', async () => {
    write('tests/a.surql', `-- test One\nRETURN 1;\nTHROW 'a';\n-- test Two\nRETURN\n  1;\n--> 2\n`);
    expect((await run()).printed).toBe(`tests/a.surql:3: One
  | RETURN 1;
  | THROW 'a';
  as        owner
  expected  no error
  found     the error thrown: An error occurred: a

tests/a.surql:7: Two
  | RETURN
  |   1;
  | --> 2
  as        owner
  expected  2
  found     1

0 passed, 2 failed in 5 ms
`);
  });

  it('where the preparation of its file does', async () => {
    write('tests/a.surql', 'CREATE user:ann;\nCREATE user:ann;\n-- test One\n-- test Two\n');
    const { code, printed } = await run();
    expect(code).toBe(1);
    expect(printed.match(/tests\/a\.surql:2: (One|Two)/g)).toHaveLength(2);
  });
});

it('keeps tests and files apart, and takes those of folders below', async () => {
  mkdirSync(join(folder, 'tests', 'more'));
  const text =
    'CREATE user:ann;\n-- test One\nCREATE user:bob;\n-- test Two\nSELECT VALUE id FROM user;\n--> [user:ann]\n';
  write('tests/a.surql', text);
  write('tests/more/b.surql', text);
  write('tests/notes.txt', 'no test');
  expect((await run()).printed).toBe('4 passed, 0 failed in 5 ms\n');
  expect((await run('tests/a.surql', { only: 'Two' })).printed).toBe('1 passed, 0 failed in 5 ms\n');
});

it('reports in TAP and as JUnit', async () => {
  write('tests/a.surql', '-- test One\nRETURN 1;\n-- test <Two> & #2\nRETURN "\\u{1}<";\n--> 2\n');
  expect((await run('tests', { reporter: 'tap' })).printed).toBe(`TAP version 14
1..2
ok 1 - tests/a.surql: One
not ok 2 - tests/a.surql: <Two> & \\#2
# tests/a.surql:5: <Two> & #2
#   | RETURN "\\u{1}<";
#   | --> 2
#   as        owner
#   expected  2
#   found     '\u0001<'
`);
  const { printed } = await run('tests', { reporter: 'junit' });
  expect(printed).toContain('<testsuites tests="2" failures="1">');
  expect(printed).toContain('<testcase classname="tests/a.surql" name="One"/>');
  expect(printed).toContain('name="&lt;Two&gt; &amp; #2">');
  expect(printed).toContain("found     '\ufffd&lt;'</failure>");
});

describe('what can’t be read is refused with its place', () => {
  it.each([
    ['-- test', 'a.surql:1: a test has a name'],
    ['-- test A\n-- as eve', 'a.surql:2: as whom? One of owner, editor, viewer, guest, or user:ann via account'],
    ['-- test A\n-- as user via account', 'a.surql:2: user is no record: user:ann'],
    ['-- test A\n--> 1', 'a.surql:2: no statement stands before'],
    ['-- test A\n-- as owner\n-- sees note:1', 'a.surql:3: no statement stands before'],
    ['-- test A\nRETURN 1;\n--> [', 'a.surql:3: '],
    ['-- test A\nRETURN 1;\n--!', 'a.surql:3: an error is expected by its code'],
    ['-- test A\nRETURN 1;\n-- sees', 'a.surql:3: the records that are seen or not'],
    ['-- test A\n-- signup account', 'a.surql:2: an access method and what it asks for'],
    ['RETURN 1;', 'tests: there are no tests'],
  ])('%j', async (text, problem) => {
    write('tests/a.surql', text);
    const error = await run().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CommandError);
    expect(error).toMatchObject({ exitCode: 2, message: expect.stringContaining(problem) });
  });

  it('folders and schemas that are missing or fail', async () => {
    await expect(run('nowhere')).rejects.toThrow('nowhere: there is no such file or folder');
    write('tests/a.surql', '-- test A\nRETURN 1;');
    await expect(run('tests', { schema: [join(folder, 'migrations')] })).rejects.toThrow('--schema names it');
    write('schema.surql', 'DEFINE TABLE a;\nDEFINE TABLE a;');
    await expect(run()).rejects.toThrow(/schema\.surql:2:1: The table 'a' already exists/);
  });
});

it('watches files and the schema, also when one is broken meanwhile', async () => {
  write('tests/a.surql', '-- test A\nRETURN 1;\n--> 1\n');
  const output = new PassThrough({ encoding: 'utf8' });
  let printed = '';
  output.on('data', (text: string) => (printed += text));
  const ending = new AbortController();
  const options = { reporter: 'text', schema: [join(folder, 'schema.surql')] } as const;
  const watching = watchTests(join(folder, 'tests'), options, output, ending.signal);
  const next = async (text: string) => {
    await expect.poll(() => printed).toContain(text);
    printed = '';
  };
  await next('1 passed');
  write('tests/a.surql', '-- test A\nRETURN 1;\n--> 2\n');
  await next('1 failed');
  write('tests/a.surql', '-- test A\n-- as eve\n');
  await next('as whom?');
  write('schema.surql', 'DEFINE TABLE');
  write('tests/a.surql', '-- test A\nRETURN 1;\n');
  await next('schema.surql:1:');
  write('schema.surql', SCHEMA);
  await next('1 passed');
  ending.abort();
  await watching;
});

it.each(['music-shop', 'retrieval', 'rules/stories', 'rules/profiles'])(
  'the rules of the example %s hold',
  async (example) => {
    const output = new PassThrough();
    const options = { reporter: 'text', schema: [`examples/${example}/schema.surql`] } as const;
    const code = await runTests(`examples/${example}/tests`, options, output);
    expect([code, String(output.read())]).toEqual([0, expect.stringMatching(/^\d+ passed, 0 failed/)]);
  },
);
