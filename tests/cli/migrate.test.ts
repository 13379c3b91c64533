/** `tessera migrate`, with a server and with stores, by several migrators at once, and its refusals. */
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CommandError } from '../../src/cli/command-error.js';
import { createMigration } from '../../src/cli/migrate/files.js';
import { type MigrateOptions, runApply, runDiff, runDown, runStatus } from '../../src/cli/migrate/run.js';
import { valuesOf, withTarget } from '../../src/cli/target.js';
import type { RunningServer } from '../../src/server/server.js';
import type { Value } from '../../src/value/value.js';
import { ROOT, startTestServer } from '../support/server.js';

let server: RunningServer;
let dir: string;
let databases = 0;
let options: MigrateOptions;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tessera-migrations-'));
  options = {
    endpoint: server.url,
    user: ROOT.username,
    pass: ROOT.password,
    authLevel: 'root',
    ns: 'test',
    db: `migrated${databases++}`,
    dir,
  };
  return () => rmSync(dir, { recursive: true });
});

const file = (name: string, text: string) => writeFileSync(join(dir, name), text);

/** What comes behind the name of the table, so that the statement succeeds. */
const JOURNAL_CHANGES: Readonly<Record<string, string>> = {
  CREATE: ':3 SET name = "0003", checksum = "c"',
};

type Command = (options: MigrateOptions, output: NodeJS.WritableStream) => Promise<number>;

/** The exit code and the output of a command, or its error. */
async function run(command: Command, given: Partial<MigrateOptions & { dryRun: boolean }> = {}): Promise<string> {
  const output = new PassThrough();
  const code = await command({ ...options, ...given }, output).catch((error: unknown) => {
    if (!(error instanceof CommandError)) throw error;
    output.write(`${error.message.replaceAll(`${dir}/`, '')}\n`);
    return error.exitCode;
  });
  output.end();
  return `${String(output.read() ?? '').replace(/ \d{4}-\d\d-\d\dT[\d:.]+Z$/gm, ' TIME')}${code}`;
}

const query = (text: string, given: Partial<MigrateOptions> = {}): Promise<Value[]> =>
  withTarget({ ...options, ...given }, (client) => valuesOf(client, text));

describe('a folder of migrations', () => {
  it('is applied in order, once', async () => {
    file('0002_fields.surql', 'DEFINE FIELD name ON person TYPE string; CREATE person:1 SET name = "Ann";');
    file('0001_tables.surql', 'DEFINE TABLE person SCHEMAFULL');
    file('0003_empty.surql', '-- nothing yet');
    file('README.md', 'not a migration');
    expect(await run(runStatus)).toBe('pending 0001_tables\npending 0002_fields\npending 0003_empty\n2');
    expect(await run(runApply)).toBe('applied 0001_tables\napplied 0002_fields\napplied 0003_empty\n0');
    expect(await run(runStatus)).toBe('applied 0001_tables TIME\napplied 0002_fields TIME\napplied 0003_empty TIME\n0');
    expect(await run(runApply)).toBe('nothing to apply\n0');
    file('0004_more.surql', 'DEFINE TABLE pet');
    expect(await run(runApply, { json: true })).toBe('{"applied":["0004_more"]}\n0');
    expect(await query('SELECT VALUE name FROM person')).toEqual([['Ann']]);
  });

  it.each(['http', 'ws'])('is applied over %s', async (scheme) => {
    file('1_a.surql', 'DEFINE TABLE a');
    expect(await run(runApply, { endpoint: server.url.replace('http', scheme) })).toBe('applied 1_a\n0');
  });

  it('is applied to a store that no server has open', async () => {
    const store = join(dir, 'store');
    file('1_a.surql', 'DEFINE TABLE a; CREATE a:1');
    expect(await run(runApply, { store })).toBe('applied 1_a\n0');
    expect(await run(runStatus, { store })).toBe('applied 1_a TIME\n0');
    expect(await run(runDiff, { store })).toBe('no differences\n0');
    expect(await run(runDiff, { store: 'memory' })).toBe('+ DEFINE TABLE a TYPE ANY SCHEMALESS PERMISSIONS NONE\n2');
    await expect(run(runApply, { store, db: undefined as unknown as string })).rejects.toThrow('--ns and --db');
  });

  it('is tried without leaving anything', async () => {
    file('1_a.surql', 'DEFINE TABLE a');
    file('2_b.surql', 'CREATE a:1; DEFINE TABLE b');
    expect(await run(runApply, { dryRun: true })).toBe('would apply 1_a\nwould apply 2_b\n2');
    expect(await run(runStatus)).toBe('pending 1_a\npending 2_b\n2');
    file('3_c.surql', 'DEFINE TABLE c;\n  CREATE a:1');
    expect(await run(runApply, { dryRun: true })).toBe('3_c.surql:2:3: Database record `a:1` already exists\n1');
    expect(await query('RETURN (INFO FOR DB).tables')).toEqual([{}]);
  });

  it('is left where a file fails, with nothing of that file', async () => {
    file('1_a.surql', 'DEFINE TABLE a SCHEMAFULL; DEFINE FIELD n ON a TYPE int');
    file('2_b.surql', 'DEFINE TABLE b;\nCREATE a:1 SET n = "x";\nDEFINE TABLE c');
    expect(await run(runApply)).toMatch(/^applied 1_a\n2_b\.surql:2:1: .*\n1$/);
    expect(await run(runStatus)).toBe('applied 1_a TIME\npending 2_b\n2');
    expect(await query('RETURN object::keys((INFO FOR DB).tables)')).toEqual([['a', 'tessera_migration']]);
    file('2_b.surql', 'CREATE a:1 SET n = 1; CREATE a:1 SET n = 1');
    expect(await run(runApply)).toMatch(/^2_b\.surql:1:23: .*already exists\n1$/);
  });

  it.each(['DELETE', 'REMOVE TABLE', 'CREATE'])('does not %s which are applied', async (change) => {
    file('0001_first.surql', 'CREATE a:1');
    file('0002_second.surql', `CREATE a:2; ${change} tessera_migration${JOURNAL_CHANGES[change] ?? ''}`);
    expect(await run(runApply)).toBe(
      'applied 0001_first\n0002_second: it changes the table tessera_migration, which lists what is applied; nothing of it stays\n1',
    );
    expect(await query('SELECT VALUE id FROM a; SELECT VALUE name FROM tessera_migration')).toMatchObject([
      [{ key: 1 }],
      ['0001_first'],
    ]);
  });

  it('has a RETURN or CONCURRENTLY in it', async () => {
    file(
      '1_a.surql',
      'CREATE a:1; IF true { RETURN 1 }; RETURN 2; CREATE a:2; DEFINE INDEX i ON a FIELDS x CONCURRENTLY',
    );
    expect(await run(runApply)).toBe('applied 1_a\n0');
    expect(await query('RETURN count(SELECT * FROM a)')).toEqual([2]);
  });

  it('is hidden from record users', async () => {
    file(
      '1_a.surql',
      `DEFINE TABLE user PERMISSIONS FULL;
       DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNUP (CREATE user)`,
    );
    await run(runApply);
    const { ns, db } = options;
    const response = await fetch(`${server.url}/signup`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: JSON.stringify({ NS: ns, DB: db, AC: 'account' }),
    });
    const { token } = (await response.json()) as { token: string };
    const { user: _, pass: __, ...guest } = options;
    const rows = withTarget({ ...guest, token }, (client) =>
      valuesOf(client, 'SELECT * FROM tessera_migration; UPDATE tessera_migration SET checksum = ""'),
    );
    expect(await rows).toEqual([[], []]);
  });
});

describe('drift is refused', () => {
  beforeEach(async () => {
    file('10_a.surql', 'DEFINE TABLE a;\nDEFINE TABLE b');
    file('20_b.surql', 'DEFINE TABLE c');
    await run(runApply);
    file('30_c.surql', 'DEFINE TABLE d');
  });

  const refused = async (message: string) => {
    expect(await run(runApply)).toBe(`${message}\n3`);
    expect(await run(runApply, { dryRun: true })).toBe(`${message}\n3`);
    const { drift } = JSON.parse((await run(runStatus, { json: true })).slice(0, -1)) as { drift: string[] };
    expect(drift.map((line) => line.replace(`${dir}/`, ''))).toEqual([message]);
    expect(await query('RETURN (INFO FOR DB).tables.d')).toEqual([undefined]);
  };

  it('where a file was changed', async () => {
    file('10_a.surql', 'DEFINE TABLE a; DEFINE TABLE b ');
    await refused('10_a.surql was changed after it was applied');
  });

  it('where a file is missing', async () => {
    rmSync(join(dir, '10_a.surql'));
    await refused('10_a was applied, and its file is missing');
  });

  it('where a new file comes before one that is applied', async () => {
    renameSync(join(dir, '30_c.surql'), join(dir, '15_c.surql'));
    await refused('15_c.surql comes before 20_b, which is applied: give it a higher number');
  });

  it('but not for line ends and byte order marks', async () => {
    file('10_a.surql', '\uFEFFDEFINE TABLE a;\r\nDEFINE TABLE b');
    expect(await run(runApply)).toBe('applied 30_c\n0');
  });
});

describe('files are refused', () => {
  it.each([
    [{ 'users.surql': '' }, 'the name must begin with a number'],
    [{ '01_a.surql': '', '01_b.surql': '' }, '01_a and 01_b have the same number'],
    [{ '1_a.surql': '', '10_b.surql': '' }, 'as many digits as that of 10_b'],
    [{ '1_a b.surql': '' }, 'the name must begin with a number'],
  ])('by their names: %j', async (files, message) => {
    for (const [name, text] of Object.entries(files)) file(name, text);
    expect(await run(runApply)).toContain(message);
    expect(await run(runStatus)).toMatch(/\n1$/);
  });

  it('where they are folders or pipes', async () => {
    file('1_a.surql', '');
    mkdirSync(join(dir, '2_b.surql'));
    expect(await run(runApply)).toBe('2_b.surql: it is not a file\n1');
    rmSync(join(dir, '2_b.surql'), { recursive: true });
    execFileSync('mkfifo', [join(dir, '2_c.surql')]);
    expect(await run(runStatus)).toBe('2_c.surql: it is not a file\n1');
  });

  it('where they are too large, or no text', async () => {
    file('1_a.surql', '');
    truncateSync(join(dir, '1_a.surql'), 16 * 2 ** 20 + 1);
    expect(await run(runStatus)).toBe('1_a.surql: it is larger than 16777216 bytes\n1');
    writeFileSync(join(dir, '1_a.surql'), Buffer.from("CREATE a SET b = 'caf\xe9'", 'latin1'));
    expect(await run(runApply)).toBe('1_a.surql: it is not UTF-8\n1');
  });

  it('where they are links out of the folder', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'outside-'));
    writeFileSync(join(outside, 'secret'), 'p4ssword');
    symlinkSync(join(outside, 'secret'), join(dir, '1_a.surql'));
    expect(await run(runApply)).toBe('1_a.surql: it is a link out of the folder\n1');
    rmSync(join(dir, '1_a.surql'));
    // As in a volume of Kubernetes.
    mkdirSync(join(dir, '..data'));
    file('..data/1_a.surql', 'DEFINE TABLE a');
    symlinkSync('..data/1_a.surql', join(dir, '1_a.surql'));
    expect(await run(runApply)).toBe('applied 1_a\n0');
    rmSync(outside, { recursive: true });
  });

  it.each([
    ['DEFINE TABLE a;\n BEGIN;', '1_a.surql:2:2: BEGIN is refused: each file is a transaction by itself\n1'],
    ['USE NS other', '1_a.surql:1:1: USE is refused: a migration belongs to the database of --ns and --db\n1'],
    ['LIVE SELECT * FROM a', '1_a.surql:1:1: LIVE is refused: the connection ends with the command\n1'],
    ['DEFINE TABLE a;\nDEFNE TABLE b', '1_a.surql:2:7: Parse error'],
  ])('by their statements: %j', async (text, message) => {
    file('1_a.surql', text);
    file('0_before.surql', 'DEFINE TABLE before');
    expect((await run(runApply)).startsWith(message)).toBe(true);
    expect(await run(runStatus)).toBe('pending 0_before\npending 1_a\n2');
  });
});

it('is compared with the database in both directions', async () => {
  const secrets = `
    DEFINE USER reader ON DATABASE PASSWORD 'a long password' ROLES VIEWER;
    DEFINE ACCESS account ON DATABASE TYPE RECORD WITH JWT ALGORITHM HS512 KEY '${'k'.repeat(64)}';`;
  file(
    '1_a.surql',
    `DEFINE TABLE person; DEFINE FIELD age ON person TYPE int; DEFINE EVENT e ON person THEN {}; ${secrets}`,
  );
  await run(runApply);
  expect(await run(runDiff)).toBe('no differences\n0');
  file('2_b.surql', 'DEFINE PARAM $x VALUE 1; DEFINE CONFIG GRAPHQL AUTO; DEFINE INDEX i ON person FIELDS age');
  await query(`REMOVE EVENT e ON person; ALTER FIELD age ON person TYPE string; DEFINE TABLE extra;
    DEFINE FUNCTION fn::f() { RETURN 1 }; DEFINE SEQUENCE s; DEFINE ANALYZER an TOKENIZERS blank`);
  expect(await run(runDiff)).toBe(
    `- DEFINE ANALYZER an TOKENIZERS BLANK
+ DEFINE CONFIG GRAPHQL TABLES AUTO FUNCTIONS AUTO
+ DEFINE EVENT e ON person WHEN true THEN {  }
- DEFINE FIELD age ON person TYPE string PERMISSIONS FULL
+ DEFINE FIELD age ON person TYPE int PERMISSIONS FULL
- DEFINE FUNCTION fn::f() { RETURN 1 } PERMISSIONS FULL
+ DEFINE INDEX i ON person FIELDS age
+ DEFINE PARAM $x VALUE 1 PERMISSIONS FULL
- DEFINE SEQUENCE s BATCH 1000 START 0
- DEFINE TABLE extra TYPE ANY SCHEMALESS PERMISSIONS NONE
2`,
  );
  expect(JSON.parse((await run(runDiff, { json: true })).slice(0, -1))).toContainEqual({
    what: 'field age ON person',
    database: 'DEFINE FIELD age ON person TYPE string PERMISSIONS FULL',
    files: 'DEFINE FIELD age ON person TYPE int PERMISSIONS FULL',
  });
});

it('is applied once by several migrators at once, while others write', async () => {
  for (let number = 10; number < 20; number++) {
    file(`${number}_step.surql`, `UPSERT counter:1 SET n = (n ?? 0) + 1; DEFINE TABLE t${number}; CREATE t${number}`);
  }
  await query('DEFINE TABLE counter; CREATE counter:1 SET n = 0');
  const outcomes = await Promise.all([
    ...Array.from({ length: 4 }, () => run(runApply)),
    ...Array.from({ length: 20 }, () => query('UPDATE counter:1 SET writes = (writes ?? 0) + 1').then(() => '0')),
  ]);
  expect(outcomes.map((text) => text.at(-1))).toEqual(outcomes.map(() => '0'));
  expect(outcomes.flatMap((text) => text.match(/^applied \w+/gm) ?? [])).toHaveLength(10);
  expect(await query('SELECT VALUE [n, writes] FROM counter:1; RETURN count(SELECT * FROM tessera_migration)')).toEqual(
    [[[10, 20]], 10],
  );
  expect((await run(runStatus)).at(-1)).toBe('0');
});

describe('migrate down', () => {
  const defined = async () => (await query('RETURN object::keys((INFO FOR DB).tables)'))[0];
  beforeEach(() => {
    file('01_a.surql', 'DEFINE TABLE a');
    file('02_b.surql', 'DEFINE TABLE b; CREATE b:1');
    file('02_b.down.surql', 'DELETE b;\nREMOVE TABLE b');
  });

  it('undoes the last file, which can be applied again, changed or not', async () => {
    expect(await run(runDown)).toBe('nothing to undo\n0');
    await run(runApply);
    expect(await run(runDown, { dryRun: true })).toBe('would undo 02_b\n0');
    expect(await defined()).toEqual(['a', 'b', 'tessera_migration']);
    file('02_b.surql', 'DEFINE TABLE b SCHEMAFULL');
    expect(await run(runDown)).toBe('undone 02_b\n0');
    expect(await defined()).toEqual(['a', 'tessera_migration']);
    expect(await run(runStatus)).toBe('applied 01_a TIME\npending 02_b\n2');
    expect(await run(runApply)).toBe('applied 02_b\n0');
    expect(await run(runDown, { json: true })).toBe('{"undone":"02_b"}\n0');
    expect(await run(runDown)).toBe(`01_a doesn't say how it is undone: there is no file 01_a.down.surql\n1`);
  });

  it('changes nothing where a statement fails or changes the journal', async () => {
    await run(runApply);
    file('02_b.down.surql', 'REMOVE TABLE b;\nREMOVE TABLE missing');
    expect(await run(runDown)).toMatch(/^02_b\.down\.surql:2:1: .*\n1$/);
    file('02_b.down.surql', 'DELETE tessera_migration');
    expect(await run(runDown)).toMatch(/^02_b: it changes the table tessera_migration/);
    file('02_b.down.surql', 'BEGIN');
    expect(await run(runDown)).toMatch(/^02_b\.down\.surql:1:1: BEGIN is refused/);
    expect(await run(runStatus)).toBe('applied 01_a TIME\napplied 02_b TIME\n0');
    expect(await defined()).toEqual(['a', 'b', 'tessera_migration']);
  });

  it('needs the file that it undoes', async () => {
    rmSync(join(dir, '02_b.surql'));
    expect(await run(runApply)).toBe('02_b.down.surql: there is no 02_b.surql that it would undo\n1');
  });
});

describe('migrate new', () => {
  const make = (title: string, folder = dir) => createMigration(folder, title)[0]?.slice(folder.length + 1);

  it('makes the next file, in a folder that it makes, too', async () => {
    const folder = join(dir, 'db', 'migrations');
    expect(make('users', folder)).toBe('0001_users.surql');
    expect(make('add email', folder)).toBe('0002_add_email.surql');
    writeFileSync(join(folder, '0041-by-hand.surql'), 'DEFINE TABLE t');
    expect(make('v1.2-rc', folder)).toBe('0042_v1.2-rc.surql');
    expect(readFileSync(join(folder, '0042_v1.2-rc.surql'), 'utf8')).toMatch(/^-- /);
    expect(await run(runApply, { dir: folder })).toBe(
      'applied 0001_users\napplied 0002_add_email\napplied 0041-by-hand\napplied 0042_v1.2-rc\n0',
    );
  });

  it('has as many digits as the others, and refuses what no file may be called', () => {
    file('20260101120000_first.surql', '');
    expect(make('second')).toBe('20260101120001_second.surql');
    for (const title of ['', '   ', 'größe', '../up', 'a/b', 'a\0b']) expect(() => make(title)).toThrow(CommandError);
    const full = join(dir, 'full');
    mkdirSync(full);
    writeFileSync(join(full, '9_last.surql'), '');
    expect(() => make('one more', full)).toThrow('there is no number behind that of 9_last');
    writeFileSync(join(full, 'unnumbered.surql'), '');
    expect(() => make('one more', full)).toThrow('must begin with a number');
  });

  it('makes a file that undoes it, too, where that is asked for', async () => {
    const files = createMigration(dir, 'add email', { down: true });
    expect(files.map((path) => path.slice(dir.length + 1))).toEqual([
      '0001_add_email.surql',
      '0001_add_email.down.surql',
    ]);
    expect(() => make('add.down')).toThrow(CommandError);
    expect(await run(runApply)).toBe('applied 0001_add_email\n0');
    expect(await run(runDown)).toBe('undone 0001_add_email\n0');
  });
});
