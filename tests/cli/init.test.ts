/** `tessera init`: every template makes an app whose files can be applied, seeded and undone. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { AppFolder } from '../support/app-folder.js';
import { atLeast } from '../support/timeouts.js';

let app: AppFolder;
beforeEach(() => {
  app = new AppFolder();
  return () => app.remove();
});

const STORE = ['--store', 'data', '--ns', 'main', '--db', 'main'];

describe('tessera init', { timeout: atLeast(120_000) }, () => {
  it.each(readdirSync('templates'))('%s has migrations, a seed, and how they are undone', async (template) => {
    expect(await app.run(['init', template])).toMatchObject({ code: 0, errors: '' });
    const migrations = readdirSync(app.file('migrations'));
    expect(await app.run(['config', 'check', 'tessera.toml'])).toMatchObject({ output: 'tessera.toml: OK\n' });
    expect(await app.run(['migrate', ...STORE])).toMatchObject({ code: 0 });
    expect(await app.run(['seed', ...STORE])).toMatchObject({ code: 0, output: 'ran seed.surql\n' });
    for (const _ of migrations.filter((name) => name.endsWith('.down.surql'))) {
      expect(await app.run(['migrate', 'down', ...STORE])).toMatchObject({ code: 0 });
    }
  });

  it('says the next command, for the folder that it makes', async () => {
    expect((await app.run(['init'])).output).toBe(`Wrote
  .gitignore
  README.md
  migrations/0001_note.down.surql
  migrations/0001_note.surql
  seed.surql
  tessera.toml

Next: npx tessera dev
`);
    expect(app.read('.gitignore')).toContain('.tessera/');
    expect((await app.run(['init', 'todo', 'apps/tasks'])).output).toContain(
      'Next: cd apps/tasks && npx tessera dev\nPage: cd apps/tasks && npm install surrealdb @tanstack/db@0.15 ',
    );
    // What the page is tested with.
    expect(readFileSync('tooling/package.json', 'utf8')).toContain('"@tanstack/db": "0.15.');
    expect(existsSync(app.file('apps/tasks/migrations/0002_tasks.surql'))).toBe(true);
  });

  it('overwrites nothing', async () => {
    app.write('README.md', 'mine');
    app.write('.gitignore', 'mine');
    expect((await app.run(['init'])).output).toContain('Kept as it was: .gitignore, README.md\n');
    expect(app.read('README.md') + app.read('.gitignore')).toBe('minemine');

    app.write('other/migrations/0001_mine.surql', '');
    expect(await app.run(['init', 'todo', 'other'])).toEqual({
      code: 1,
      output: '',
      errors: 'tessera: other/migrations: already there, so nothing was written\n',
    });
    expect(readdirSync(app.file('other'))).toEqual(['migrations']);
  });

  it('refuses unknown templates, and a file in place of the folder', async () => {
    expect((await app.run(['init', 'blog'])).errors).toContain('Allowed choices are minimal, todo, retrieval');
    app.write('taken', '');
    expect(await app.run(['init', 'todo', 'taken'])).toMatchObject({
      code: 1,
      errors: expect.stringContaining('tessera: '),
    });
  });
});
