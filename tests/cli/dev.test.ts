/** `tessera dev`: the server of a folder, which follows its files, and the commands that find it there. */

import { once } from 'node:events';
import { chmodSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AppFolder, type DevServer } from '../support/app-folder.js';
import { atLeast } from '../support/timeouts.js';

let app: AppFolder;

function makeApp(): AppFolder {
  const made = new AppFolder();
  made.write('tessera.toml', '');
  made.write('migrations/0001_note.surql', 'DEFINE TABLE note SCHEMAFULL;\nDEFINE FIELD text ON note TYPE string;\n');
  return made;
}

const sql = async (text: string) => {
  const { output, errors } = await app.run(['sql', '--json'], { input: text });
  return (output + errors).trimEnd();
};

async function started(...args: string[]): Promise<DevServer> {
  const dev = app.dev(...args);
  await dev.says('Ctrl-C ends the server.');
  return dev;
}

describe('tessera dev', { timeout: atLeast(120_000) }, () => {
  beforeEach(() => {
    app = makeApp();
    return () => app.remove();
  });

  it('shows how to connect, applies migrations and the seed, and ends on Ctrl-C', async () => {
    app.write('seed.surql', "CREATE note:1 SET text = 'a'");
    const dev = app.dev();
    const screen = await dev.says('ran seed.surql');
    expect(screen).toMatch(/Studio {3}http:\/\/127\.0\.0\.1:\d+\/studio {3}user root, password \S{16}\n/);
    expect(screen).toMatch(/Clients {2}ws:\/\/127\.0\.0\.1:\d+\/rpc +namespace main, database main\n/);
    expect(screen).toContain('applied 0001_note\n');
    expect(screen).not.toContain('{"level"');
    expect(await sql('SELECT VALUE text FROM note')).toBe('["a"]');
    expect(statSync(app.file('.tessera/connection.json')).mode & 0o077).toBe(0);
    expect(app.read('.tessera/.gitignore')).toBe('*\n');
    expect(await dev.interrupt()).toBe(0);

    // Neither the seed nor the user is made again.
    const password = /password (\S+)/.exec(screen)?.[1];
    const again = app.dev();
    expect(await again.says('Ctrl-C ends')).toContain(`password ${password}\n`);
    app.write('migrations/0002_more.surql', 'DEFINE TABLE more');
    expect(await again.says('applied 0002_more')).not.toContain('seed');
    expect(await sql('SELECT VALUE text FROM note')).toBe('["a"]');
  });

  it('begins with empty data where that is asked for', async () => {
    const dev = await started();
    await dev.says('applied 0001_note');
    await sql("CREATE note:1 SET text = 'a'");
    expect(await app.run(['dev', '--reset'])).toMatchObject({
      code: 1,
      errors: 'tessera: The data folder .tessera/data is in use by another process\n',
    });
    await dev.interrupt();
    app.write('seed.surql', "CREATE note:2 SET text = 'b'");
    await (await started('--reset')).says('ran seed.surql');
    expect(await sql('SELECT VALUE text FROM note')).toBe('["b"]');
  });

  it('shows where a migration is wrong, and applies it when it is right', async () => {
    const dev = await started();
    await dev.says('applied 0001_note');
    app.write('migrations/0002_tags.surql', 'DEFINE TABLE tag;\nDEFINE FIELDD x ON tag TYPE int;\n');
    expect(await dev.says('^^^^^^ did you maybe mean `FIELD`?')).toContain(
      'migrations/0002_tags.surql:2:8: Parse error: Unexpected token `an identifier`',
    );
    app.write('migrations/0002_tags.surql', "DEFINE TABLE tag;\nTHROW 'not yet';\n");
    await dev.says('migrations/0002_tags.surql:2:1: An error occurred: not yet');
    app.write('migrations/0002_tags.surql', 'DEFINE TABLE tag;\n');
    expect(await dev.says('applied 0002_tags')).not.toContain('error');
    app.write('migrations/unnumbered.surql', '');
    await dev.says('migrations/unnumbered.surql: the name must begin with a number');
    rmSync(app.file('migrations/unnumbered.surql'));
    await dev.says('all files are applied');
  });

  it('waits until a new file has statements', async () => {
    const dev = await started();
    await dev.says('applied 0001_note');
    expect((await app.run(['migrate', 'new', 'tags'])).output).toBe('migrations/0002_tags.surql\n');
    // What comes behind it waits as well.
    app.write('migrations/0003_more.surql', "THROW 'no'");
    expect((await app.run(['migrate', 'status'])).output).toMatch(
      /^applied 0001_note .*\npending 0002_tags\npending 0003_more\n$/,
    );
    app.write('migrations/0002_tags.surql', 'DEFINE TABLE tag');
    await dev.says('applied 0002_tags\nmigrations/0003_more.surql:1:1: An error occurred: no\n');
  });

  it('says what to do where an applied file was changed or is gone', async () => {
    const original = app.read('migrations/0001_note.surql');
    const dev = await started();
    await dev.says('applied 0001_note');
    app.write('migrations/0001_note.surql', `${original}-- more`);
    const advice = await dev.says('npx tessera dev --reset');
    expect(advice).toContain('migrations/0001_note.surql was changed after it was applied\n');
    expect(advice).toContain('npx tessera migrate new NAME\n');
    app.write('migrations/0001_note.surql', original);
    await dev.says('all files are applied');
    renameSync(app.file('migrations'), app.file('elsewhere'));
    await dev.says('0001_note was applied, and its file is missing\n');
    renameSync(app.file('elsewhere'), app.file('migrations'));
    await dev.says('all files are applied');
    // The folder is watched as before.
    app.write('migrations/0002_more.surql', 'DEFINE TABLE more');
    await dev.says('applied 0002_more');
  });

  it('applies a changed file when it was taken back', async () => {
    app.write('migrations/0001_note.down.surql', 'REMOVE TABLE note');
    const dev = await started();
    await dev.says('applied 0001_note');
    app.write('migrations/0001_note.surql', 'DEFINE TABLE note SCHEMALESS');
    await dev.says('npx tessera migrate down\n');
    expect(await app.run(['migrate', 'down'])).toMatchObject({ code: 0 });
    await dev.says('applied 0001_note');
  });

  it('runs a seed that failed again, and nothing of it stays', async () => {
    app.write('seed.surql', 'CREATE note:1 SET text = "a";\nCREATE note:2 SET text = 2;');
    const dev = await started();
    await dev.says('seed.surql:2:1: ');
    expect(await sql('SELECT * FROM note')).toBe('[]');
    app.write('seed.surql', 'CREATE note:1 SET text = "a"');
    await dev.says('ran seed.surql');
  });

  it('keeps the types, as the file of settings says', async () => {
    app.write(
      'tessera.toml',
      'types = "src/database.ts"\nqueries = "src/**"\naudit-log = "/nowhere/audit.log"\nworkers = 2\nlog = "error"\n',
    );
    const dev = await started();
    await dev.says('src/database.ts: written');
    expect(app.read('src/database.ts')).toContain('export type Note');
    app.write('migrations/0002_tag.surql', 'DEFINE TABLE tag');
    await dev.says('src/database.ts: written');
    expect(app.read('src/database.ts')).toContain('export type Tag');
    app.write('src/tags.surql', 'SELECT id FROM tags');
    await dev.says("src/tags.surql:1:16: The table 'tags' does not exist");
    app.write('src/tags.surql', 'SELECT id FROM tag');
    await expect.poll(() => app.read('src/database.ts')).toContain("tags: [Array<{\n    id: RecordId<'tag'>;");
    expect(await dev.interrupt()).toBe(0);
    expect(await app.run(['config', 'check', 'tessera.toml'])).toMatchObject({ code: 0 });
  });

  it('says what is in the way of a start', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const bind = ['--bind', `127.0.0.1:${port}`];
    expect(await app.run(['dev', ...bind])).toMatchObject({
      code: 1,
      errors: `tessera: Another program listens at 127.0.0.1:${port}. Another port is chosen so: tessera dev --bind 127.0.0.1:8001\n`,
    });
    taken.close();

    const dev = await started();
    const connection = app.read('.tessera/connection.json');
    expect(await app.run(['dev', '--bind', '127.0.0.1:0'])).toMatchObject({
      code: 1,
      errors: 'tessera: The data folder .tessera/data is in use by another process\n',
    });
    expect(app.read('.tessera/connection.json')).toBe(connection);
    await dev.interrupt();

    app.write('.tessera/connection.json', '{}');
    expect((await app.run(['dev'])).errors).toContain('connection.json is not as "tessera dev" writes it');
    rmSync(app.file('.tessera/connection.json'));
    expect(await app.run(['dev', '--bind', '127.0.0.1:0'])).toMatchObject({
      code: 1,
      errors: expect.stringContaining("The root user of .tessera/data can't sign in"),
    });

    rmSync(app.file('tessera.toml'));
    expect((await app.run(['dev'])).errors).toBe(
      'tessera: There is no file tessera.toml here: "tessera init" writes one, and a first migration\n',
    );
    app.write('tessera.toml', 'bindd = "x"');
    expect((await app.run(['dev'])).errors).toBe(
      'tessera: tessera.toml:1: bindd: there is no such setting; perhaps bind is meant\n',
    );
  });
});

describe('commands in the folder of an app', { timeout: atLeast(120_000) }, () => {
  beforeAll(async () => {
    app = makeApp();
    app.write('migrations/0001_note.down.surql', 'REMOVE TABLE note');
    await (await started()).says('applied 0001_note');
    return () => app.remove();
  });

  it('reach its server without options', async () => {
    expect((await app.run(['migrate', 'status'])).output).toMatch(/^applied 0001_note /);
    app.write('more.surql', "CREATE note:7 SET text = 'seven'");
    expect(await app.run(['seed', 'more.surql'])).toMatchObject({ code: 0, output: 'ran more.surql\n' });
    expect((await app.run(['seed', 'more.surql'])).errors).toMatch(/^tessera: more\.surql:1:1: .*already exists/);
    expect((await app.run(['seed', 'none.surql'])).errors).toBe('tessera: There is no file none.surql\n');
    expect((await app.run(['migrate', 'down'])).output).toBe('undone 0001_note\n');
    expect((await app.run(['isready'])).output).toBe('OK\n');
  });

  it('reach another one where an option or a variable names it', async () => {
    const elsewhere = { SVC_ENDPOINT: 'http://127.0.0.1:1' };
    expect((await app.run(['sql'], { input: 'RETURN 1', environment: elsewhere })).errors).toContain(
      'No server answers at http://127.0.0.1:1',
    );
    expect((await app.run(['sql', '--user', 'root', '--pass', 'x'], { input: 'RETURN 1' })).errors).toContain(
      'No server answers at http://127.0.0.1:8000',
    );
    const connection = JSON.parse(app.read('.tessera/connection.json')) as object;
    app.write('.tessera/connection.json', JSON.stringify({ ...connection, endpoint: 'http://192.0.2.1:8000' }));
    expect((await app.run(['isready'])).output).toBe('No server answers at http://127.0.0.1:8000\n');
    app.write('.tessera/connection.json', JSON.stringify(connection));
  });

  it('make users', async () => {
    app.write('ann.pass', 'the password of ann\n');
    const made = await app.run(['user', 'add', 'ann', '--role', 'editor', '--password-file', 'ann.pass']);
    expect(made).toEqual({
      code: 0,
      output:
        'Made the editor ann, who signs in with: tessera sql --user ann --auth-level database --ns main --db main\n',
      errors: '',
    });
    const { endpoint } = JSON.parse(app.read('.tessera/connection.json')) as { endpoint: string };
    const options = ['--endpoint', endpoint, '--auth-level', 'database', '--ns', 'main', '--db', 'main'];
    const asAnn = ['sql', ...options, '--user', 'ann', '--pass-file', 'ann.pass'];
    expect((await app.run(asAnn, { input: 'RETURN 1' })).output).toBe('1\n');
    expect((await app.run(asAnn, { input: 'DEFINE USER bob ON DATABASE' })).code).toBe(1);

    const again = await app.run(['user', 'add', 'ann', '--password-file', 'ann.pass']);
    expect(again).toMatchObject({ code: 1, errors: expect.stringContaining("The user 'ann' already exists") });
    const root = await app.run(['user', 'add', "o'neil x", '--on', 'root', '--password-file', '-'], {
      input: 'pass\'word"\\',
    });
    expect(root.output).toBe("Made the viewer o'neil x, who signs in with: tessera sql --user o'neil x\n");
  });

  it('refuse users without what they need', async () => {
    expect((await app.run(['user', 'add', 'ann'])).errors).toBe(
      'tessera: There is no terminal to ask for the password in: name a file with --password-file, or -\n',
    );
    app.write('empty', '\n');
    expect((await app.run(['user', 'add', 'ann', '--password-file', 'empty'])).errors).toContain('empty is empty');
    expect((await app.run(['user', 'add', 'ann', '--password-file', '-'])).errors).toContain('standard input is empty');
    expect((await app.run(['user', 'add', ' ', '--password-file', 'empty'])).errors).toContain('must not be empty');
    expect((await app.run(['user', 'add', 'ann', '--role', 'king'])).errors).toContain('Allowed choices are viewer');
    const { errors } = await app.run(['user', 'add', 'ann', '--user', 'root', '--pass', 'x', '--ns', 'main']);
    expect(errors).toBe('tessera: --on database needs --ns and --db\n');
  });

  it('open the Studio in the browser that is named', async () => {
    app.write('browser', '#!/bin/sh\necho "$1" > opened\n');
    chmodSync(app.file('browser'), 0o755);
    const { output, code } = await app.run(['open'], { environment: { BROWSER: app.file('browser') } });
    expect(code).toBe(0);
    expect(output).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/studio\n$/);
    const opened = () => readFileSync(app.file('opened'), { encoding: 'utf8', flag: 'a+' });
    await expect.poll(opened).toBe(output);
    expect(await app.run(['open'], { environment: { BROWSER: app.file('no-browser') } })).toMatchObject({
      code: 0,
      output,
    });
    expect((await app.run(['open', '--endpoint', 'http://127.0.0.1:1'])).errors).toBe(
      'tessera: No server answers at http://127.0.0.1:1\n',
    );
  });
});
