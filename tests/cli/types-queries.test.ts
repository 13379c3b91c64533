/** `tessera types --queries`: the statements of an app, checked and typed. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runTypes, watchTypes } from '../../src/cli/types.js';
import { GeneratedTypes } from '../support/generated-types.js';

let types: GeneratedTypes;
beforeAll(async () => {
  types = await GeneratedTypes.start();
  await types.define(
    'app',
    `DEFINE TABLE person SCHEMAFULL PERMISSIONS FOR select FULL; DEFINE FIELD name ON person TYPE string;
      DEFINE FIELD age ON person TYPE int; DEFINE FIELD nick ON person TYPE option<string>;
      DEFINE FIELD role ON person TYPE 'reader' | 'writer' DEFAULT 'reader';
      DEFINE FIELD mail ON person TYPE option<string> PERMISSIONS FOR select NONE;
      DEFINE TABLE post SCHEMAFULL; DEFINE FIELD title ON post TYPE string; DEFINE FIELD author ON post TYPE record<person>;
      DEFINE ACCESS account ON DATABASE TYPE RECORD;`,
  );
});
afterAll(() => types.close());

/** Writes files of an app; returns the pattern of its files. */
function app(name: string, files: Readonly<Record<string, string>>): string {
  for (const [file, text] of Object.entries(files)) {
    const path = join(types.folder, name, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return join(types.folder, name, '**');
}

const ADULTS = 'SELECT name, nick FROM person WHERE age >= $from AND nick = $nick LIMIT $most;\nRETURN `x`;\n';

it('writes a function for each file, and types for templates', async () => {
  const queries = app('good', {
    'queries/adult-people.surql': ADULTS,
    'queries/add.surql': 'CREATE ONLY person CONTENT $person',
    'queries/all.surql': 'SELECT * FROM person',
    'people.ts': `
      import { surql } from 'surrealdb';
      const a = \`not \${\`this \${1}\`} one\`;
      export const byRole = (role: 'reader') =>
        surql<Queries['byRole']>\`SELECT *, (SELECT VALUE title FROM post WHERE author = $parent.id) AS titles
          FROM person WHERE role = \${role} AND age > \${[\`\${1}\`].map((x) => \`\${x}\`).length}\`;
      const part = /* tessera-ignore */ surql\`WHERE \${a}\`;
      sql\`SELECT * FROM another.database\`;`,
    'view.tsx': "const page = <a href='x'>`</a>; surql<Queries['count']>`SELECT count() FROM ONLY person GROUP ALL`;",
  });
  const text = await types.of('app', '', { queries });
  expect(text).toContain(`new BoundQuery<Queries['adultPeople']>(\`SELECT`);
  types.compile(
    text,
    `
      import { surql, type Surreal } from 'surrealdb';
      import { add, adultPeople, all, type Person, type Queries, type QueryParameters } from './types.js';
      export async function use(db: Surreal, role: 'reader' | 'writer'): Promise<void> {
        const [adults, x] = await db.query(adultPeople({ from: 18, nick: 'A', most: 5 }));
        const names: string[] = adults.map(({ name }) => name);
        const nick: string | undefined = adults[0]?.nick;
        // Wrong: what isn't selected isn't there
        void adults[0]?.age;
        // Wrong: a number
        void adultPeople({ from: '18', nick: 'A', most: 5 });
        // Wrong: all parameters are needed
        void adultPeople({ from: 18 });
        const [made] = await db.query(add({ person: { name: 'Ann', age: 5 } }));
        const person: Person = made;
        // Wrong: a record needs an age
        void add({ person: { name: 'Ann' } });
        const [people] = await db.query(all());
        const [first]: Person[] = people;
        const [found] = await db.query(surql<Queries['byRole']>\`…\${role satisfies QueryParameters['byRole'][0]}\`);
        const titles: string[] | undefined = found[0]?.titles;
        const values: QueryParameters['byRole'] = ['writer', 5];
        const [{ count }] = {} as Queries['count'];
        const total: number = count;
        void [x, names, nick, person, first, titles, values, total];
      }
    `,
  );
});

it('writes functions for Tessera in process', async () => {
  const queries = app('embedded', { 'adult-people.surql': ADULTS, 'all.surql': 'SELECT * FROM person' });
  const text = await types.of('app', '', { queries, for: 'embedded' });
  const module = resolve('dist/embedded/index.js');
  types.compile(
    text.replaceAll("from 'tesseradb'", `from '${module}'`),
    `
      import type { Tessera } from '${module}';
      import { adultPeople, all, type Person } from './types.js';
      export async function use(db: Tessera): Promise<void> {
        const [[adult]] = await adultPeople(db, { from: 18, nick: 'A', most: 5 });
        const [[person]] = await db.transaction((transaction) => all(transaction));
        const same: Person | undefined = person;
        void [adult?.name.length, same];
      }
    `,
  );
});

it('says where a statement does not fit the database', async () => {
  const queries = app('wrong', {
    'a.surql': 'SELECT name,\n  agee FROM person;',
    'b.surql': 'SELECT FROM person',
    'c.ts': 'export const x = surql`\n  SELECT * FROM persons WHERE name = ${1}`;',
    'd/e.surql': 'SELECT mail FROM person',
    'd/new.surql': 'RETURN 1',
    'f/e.surql': 'RETURN 1',
  });
  const out = join(types.folder, 'wrong.ts');
  const run = (access?: string) =>
    runTypes({ ...types.optionsFor('app'), queries, out, ...(access && { access }) }, new PassThrough()).then(
      () => '',
      (error: Error) => error.message.replaceAll(`${relative('', types.folder)}/wrong/`, ''),
    );
  expect(await run()).toMatchInlineSnapshot(`
    "a.surql:2:3: Found field 'agee', but no such field exists for table 'person'
     --> [2:3]
      |
    2 | agee FROM person;
      | ^^^^
    b.surql:1:13: Parse error: Unexpected token \`an identifier\`, expected FROM
     --> [1:13]
      |
    1 | SELECT FROM person
      |             ^^^^^^
    c.ts:2:17: The table 'persons' does not exist
     --> [2:17]
      |
    2 | SELECT * FROM persons WHERE name = $_0
      |               ^^^^^^^
    d/new.surql: new can't be the name of a function
    f/e.surql: e is the name of another query in d/e.surql"
  `);
  expect(readFileSync(out, 'utf8')).toContain('export type Person');
  expect(await run('account')).toContain("d/e.surql:1:8: Found field 'mail'");
  const nowhere = join(types.folder, 'nowhere', '**');
  await expect(types.of('app', '', { queries: nowhere })).rejects.toThrow(`matches ${nowhere}`);
});

it('follows the files', async () => {
  const queries = app('watched', { 'one.surql': 'SELECT name FROM person' });
  const out = join(types.folder, 'watched', 'types.ts');
  const errors = new PassThrough();
  const stop = new AbortController();
  const watching = watchTypes(
    { ...types.optionsFor('app'), queries, out },
    { errors, interval: 10, signal: stop.signal },
  );
  await expect.poll(() => readFileSync(out, { encoding: 'utf8', flag: 'a+' })).toContain('function one()');
  app('watched', { 'two.surql': 'SELECT nam FROM person' });
  await expect.poll(() => String(errors.read() ?? '')).toContain("two.surql:1:8: Found field 'nam'");
  app('watched', { 'two.surql': 'SELECT age FROM person' });
  await expect.poll(() => readFileSync(out, 'utf8')).toContain('age: number;\n  }>]');
  stop.abort();
  await watching;
});
