/** The snippets of the API page, each run against a server: for record users and system users, and for tables with any names and types. */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identifier } from '../../studio/connection/surrealql.js';
import type { TableParts } from '../../studio/connection/table-parts.js';
import { callersOf } from '../../studio/views/api/caller.js';
import { isPossible, rightTo, type Subject, TASK_NAMES, type Task } from '../../studio/views/api/language.js';
import { LANGUAGES, type LanguageName } from '../../studio/views/api/languages.js';
import { tableUse } from '../../studio/views/api/table-use.js';
import { cleanUp, ROOT, type ServerProcess, startServer } from '../support/server-process.js';

const run = promisify(execFile);

/** A name that ends strings and statements where it isn't quoted. */
const HOSTILE = `it's "a \`table\` $x; --`;
const HOSTILE_FIELD = `fi'eld "; x`;
const DEFINITIONS = `
  DEFINE TABLE user SCHEMAFULL PERMISSIONS FOR select, update WHERE id = $auth;
  DEFINE FIELD email ON user TYPE string ASSERT string::is_email($value);
  DEFINE FIELD password ON user TYPE string PERMISSIONS NONE;
  DEFINE ACCESS account ON DATABASE TYPE RECORD
    SIGNUP (CREATE user:ann SET email = $email, password = crypto::argon2::generate($password))
    SIGNIN { LET $found = SELECT * FROM user WHERE email = $email; RETURN $found[0] }
    WITH REFRESH;
  DEFINE USER NAME ON DATABASE PASSWORD 'PASSWORD' ROLES EDITOR;
  DEFINE TABLE note SCHEMAFULL PERMISSIONS FOR select, create, update, delete WHERE owner = $auth;
  DEFINE FIELD owner ON note TYPE record<user>;
  DEFINE FIELD title ON note TYPE string;
  DEFINE FIELD secret ON note TYPE option<string> PERMISSIONS NONE;
  DEFINE FIELD state ON note TYPE 'open' | 'done';
  DEFINE FIELD tags ON note TYPE array<string>;
  DEFINE FIELD rank ON note TYPE float;
  DEFINE FIELD at ON note TYPE datetime;
  DEFINE FIELD price ON note TYPE decimal;
  DEFINE FIELD length ON note TYPE option<duration>;
  DEFINE FIELD code ON note TYPE uuid;
  DEFINE FIELD place ON note TYPE option<geometry<point>>;
  DEFINE FIELD file ON note TYPE bytes;
  DEFINE FIELD address ON note TYPE object;
  DEFINE FIELD address.city ON note TYPE string;
  DEFINE FIELD size ON note COMPUTED string::len(title);
  DEFINE FIELD made ON note VALUE time::now();
  DEFINE FIELD kind ON note TYPE string DEFAULT 'plain';
  DEFINE TABLE likes TYPE RELATION IN user OUT note SCHEMAFULL PERMISSIONS FULL;
  DEFINE FIELD stars ON likes TYPE int;
  DEFINE FIELD labels ON likes TYPE set<string>;
  DEFINE TABLE counted SCHEMAFULL PERMISSIONS FOR select, create, delete FULL;
  DEFINE FIELD id ON counted TYPE int;
  DEFINE FIELD done ON counted TYPE bool;
  DEFINE TABLE ${identifier(HOSTILE)} SCHEMALESS PERMISSIONS FULL;
  DEFINE FIELD ${identifier(HOSTILE_FIELD)} ON ${identifier(HOSTILE)} TYPE string;
  DEFINE FIELD value ON ${identifier(HOSTILE)} TYPE int;
  DEFINE CONFIG GRAPHQL AUTO`;
const TABLES = ['note', 'likes', 'counted', HOSTILE] as const;
const CALLERS = ['Record users of account', 'An editor of the database'] as const;

let server: ServerProcess;
let subjectOf: (table: string, caller: string) => Subject;

async function sql<Results extends unknown[]>(text: string): Promise<Results> {
  const authorization = `Basic ${Buffer.from(`${ROOT.user}:${ROOT.pass}`).toString('base64')}`;
  const headers = { accept: 'application/json', 'svc-ns': 'test', 'svc-db': 'test', authorization };
  const answer = await fetch(`${server.url}/sql`, { method: 'POST', headers, body: text });
  const results = (await answer.json()) as readonly { readonly status: string; readonly result: unknown }[];
  return results.map(({ status, result }) => {
    expect(status, String(result)).toBe('OK');
    return result;
  }) as Results;
}

beforeAll(async () => {
  server = await startServer('memory', { SVC_EXPERIMENTAL_GRAPHQL: 'true' });
  await sql(DEFINITIONS);
  const account = {
    NS: 'test',
    DB: 'test',
    AC: 'account',
    email: 'ann@example.com',
    password: 'correct horse battery',
  };
  const { ok } = await fetch(`${server.url}/signup`, { method: 'POST', body: JSON.stringify(account) });
  expect(ok).toBe(true);
  type Info = { readonly tables: TableParts[]; readonly accesses: Parameters<typeof callersOf>[0] };
  const [{ tables, accesses }] = await sql<[Info]>('INFO FOR DB STRUCTURE');
  const parts = await sql<{ fields: TableParts['fields'] }[]>(
    tables.map(({ name }) => `INFO FOR TABLE ${identifier(name)} STRUCTURE`).join(';'),
  );
  const whole = tables.map((table, at) => ({ ...table, fields: parts[at]?.fields ?? [] }));
  const callers = callersOf(accesses.map((access) => ({ ...access, level: 'database' })));
  subjectOf = (name, as) => {
    const [table, caller] = [whole.find((one) => one.name === name), callers.get(as)];
    if (table === undefined || caller === undefined) throw new Error(`there is no ${name} or ${as}`);
    const place = { server: server.url, namespace: 'test', database: 'test' };
    return { place, caller, use: tableUse(table, whole, caller) };
  };
});
afterAll(cleanUp);

/** The snippets that are shown, by their tasks. */
function snippets(language: LanguageName, table: string, caller: string): ReadonlyMap<Task, string> {
  const subject = subjectOf(table, caller);
  const possible = TASK_NAMES.filter((task) => isPossible(task, subject.use));
  return new Map(possible.map((task) => [task, LANGUAGES[language].write[task](subject)]));
}

async function rowsOf(table: string): Promise<number> {
  const [[count = 0] = []] = await sql<[number[]]>(`SELECT VALUE count() FROM ${identifier(table)} GROUP ALL`);
  return count;
}

const runs = TABLES.flatMap((table) => CALLERS.map((caller) => [table, caller] as const));
/** Node 20 has its WebSocket behind a flag. */
const FLAGS = process.version.startsWith('v20.') ? ['--experimental-websocket', '--no-warnings'] : [];
const MODULE = [...FLAGS, '--input-type=module', '-e'];

function runModule(lines: readonly string[]) {
  return run(process.execPath, [...MODULE, lines.join('\n')], { timeout: 20_000 });
}

/** Writes records until a listener has received one: whether it listens already can't be seen from outside. */
async function writesUntil(table: string, set: string, isReceived: () => boolean): Promise<void> {
  let key = 100;
  await expect
    .poll(async () => {
      await sql(`CREATE ${identifier(table)}:${key++} SET ${set}`);
      return isReceived();
    })
    .toBe(true);
  await sql(`DELETE ${identifier(table)}`);
}

describe('JavaScript', () => {
  it.each(runs)('%s, as %s: reads and writes', async (table, caller) => {
    const code = snippets('javascript', table, caller);
    const tasks = (['signIn', 'create', 'read', 'change', 'remove'] as const).map((task) => code.get(task) ?? '');
    const { stdout } = await runModule([...tasks, 'await db.close();']);
    // What was created, and what was read.
    expect(stdout.match(/\bid: /g)).toHaveLength(2);
    expect(await rowsOf(table)).toBe(0);
  });

  it.each([
    ['counted', 'done = true'],
    [HOSTILE, `value = 1, ${identifier(HOSTILE_FIELD)} = 'x'`],
  ] as const)('%s: is sent what is written', async (table, set) => {
    const code = snippets('javascript', table, CALLERS[1]);
    const child = spawn(process.execPath, [...MODULE, `${code.get('signIn')}\n${code.get('subscribe')}`]);
    let received = '';
    child.stdout.on('data', (chunk) => {
      received += chunk;
    });
    await writesUntil(table, set, () => /^CREATE .*:/m.test(received));
    child.kill();
  });
});

/** Runs commands of a shell, one after the other: what each prints. */
async function shell(commands: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await run('bash', ['-ec', commands.join("\nprintf '\\036'\n")], { timeout: 20_000 });
  return stdout.split('\u001e');
}

describe('curl', () => {
  it.each(runs)('%s, as %s: reads and writes', async (table, caller) => {
    const code = snippets('curl', table, caller);
    const tasks = (['signIn', 'create', 'read', 'change', 'remove'] as const).filter((task) => code.has(task));
    const [, ...answers] = await shell(tasks.map((task) => code.get(task) ?? ''));
    for (const answer of answers) expect(JSON.parse(answer)).toMatchObject([{ status: 'OK' }]);
    expect(JSON.parse(answers[1] ?? '')).toMatchObject([{ result: [{ id: expect.stringContaining(':') }] }]);
    expect(await rowsOf(table)).toBe(0);
  });

  it('is sent what is written', async () => {
    const code = snippets('curl', 'counted', 'Record users of account');
    const listener = spawn('bash', ['-ec', `${code.get('signIn')}\nexec ${code.get('subscribe')}`]);
    let received = '';
    listener.stdout.on('data', (chunk) => {
      received += chunk;
    });
    await writesUntil('counted', 'done = true', () => received.includes('"action":"CREATE"'));
    listener.kill();
  });
});

describe('GraphQL', () => {
  it.each(runs)('%s, as %s: reads and writes', async (table, caller) => {
    const code = snippets('graphql', table, caller);
    const ask = async (task: Task, headers: Readonly<Record<string, string>>) => {
      const query = (code.get(task) ?? '').replace('user:YOUR_ID', 'user:ann');
      const answer = await fetch(`${server.url}/graphql`, {
        method: 'POST',
        headers: { accept: '*/*', 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query }),
      });
      const body = (await answer.json()) as { readonly data?: Record<string, unknown>; readonly errors?: unknown };
      expect([query, body.errors]).toEqual([query, undefined]);
      return Object.values(body.data ?? {})[0];
    };
    const { token } = (await ask('signIn', { 'svc-ns': 'test', 'svc-db': 'test' })) as { readonly token: string };
    const authorization = { authorization: `Bearer ${token}` };
    expect(await ask('create', authorization)).toHaveProperty('id');
    expect(await ask('read', authorization)).toMatchObject([{ id: expect.stringContaining(':') }]);
    if (code.has('change')) expect(await ask('change', authorization)).toHaveProperty('id');
    expect(await ask('remove', authorization)).toHaveProperty('id');
    expect(await rowsOf(table)).toBe(0);
  });
});

it.each(runs)('React and Python for %s, as %s, can be read by their languages', async (table, caller) => {
  await transform([...snippets('react', table, caller).values()].join('\n'), { loader: 'jsx' });
  const python = [...snippets('python', table, caller).values()].join('\n');
  const read = spawnSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], { input: python });
  // A machine without Python can't say.
  if (read.error === undefined) expect([python, String(read.stderr)]).toEqual([python, '']);
});

it('says what a user may not do, and shows no field that is hidden from them', () => {
  const { use } = subjectOf('note', 'Record users of account');
  expect(rightTo('create', use)).toBe('owner = $auth');
  expect(use.read.map(({ field }) => field)).not.toContain('secret');
  expect(use.created.map(({ field }) => field)).not.toContain('secret');
  const editor = subjectOf('note', 'An editor of the database').use;
  expect(editor.read.map(({ field }) => field)).toContain('secret');
  const ofUsers = subjectOf('user', 'Record users of account').use;
  expect(TASK_NAMES.filter((task) => isPossible(task, ofUsers))).toEqual(['signIn', 'read', 'change', 'subscribe']);
  const viewer = subjectOf('user', 'A viewer of the database').use;
  expect(TASK_NAMES.filter((task) => isPossible(task, viewer))).toEqual(['signIn', 'read', 'change', 'subscribe']);
});
