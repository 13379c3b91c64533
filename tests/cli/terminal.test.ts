/** `tessera sql` in a pseudo-terminal, which `script` of util-linux gives: keys in, screen out. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanUp, ROOT, type ServerProcess, startServerWith, temporaryFolder } from '../support/server-process.js';

let server: ServerProcess;
const children: ChildProcess[] = [];
beforeAll(async () => {
  server = await startServerWith(['memory', '--user', ROOT.user, '--pass', ROOT.pass]);
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await cleanUp();
});

const CTRL_C = '\x03';
const CTRL_D = '\x04';
const CTRL_R = '\x12';
const TAB = '\t';
const UP = '\x1b[A';
const LEFT = '\x1b[D';
const ENTER = '\r';

/** A session on a screen of 100 columns. */
function terminal(options: string, environment: Readonly<Record<string, string>> = {}) {
  const state = temporaryFolder();
  const command = `stty cols 100 rows 40; exec ${process.execPath} dist/bin/tessera.js sql ${options}`;
  const child = spawn('script', ['-qfec', command, '/dev/null'], {
    env: {
      PATH: process.env['PATH'],
      TERM: 'xterm',
      SHELL: '/bin/sh',
      XDG_STATE_HOME: state,
      SVC_ENDPOINT: server.url,
      SVC_USER: ROOT.user,
      SVC_NS: 'test',
      SVC_DB: 'test',
      ...environment,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  let screen = '';
  let seen = 0;
  child.stdout.on('data', (chunk) => {
    screen += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    exited,
    history: join(state, 'tessera', 'history'),
    type: (keys: string) => child.stdin.write(keys),
    /** Waits until the screen shows it, behind what was waited for before. */
    async shows(text: string): Promise<string> {
      await expect.poll(() => screen.slice(seen), { timeout: 20_000 }).toContain(text);
      const from = seen;
      seen = screen.indexOf(text, seen) + text.length;
      return screen.slice(from, seen);
    },
  };
}

const signedIn = { SVC_PASS: ROOT.pass };

describe.runIf(existsSync('/usr/bin/script'))('tessera sql in a terminal', () => {
  it('runs statements over several lines, completes, and remembers what may be remembered', async () => {
    const { type, shows, exited, history } = terminal('', signedIn);
    await shows('test/test> ');
    type(`CREATE person:1 SET${ENTER}`);
    await shows('test/test-> ');
    type(`  name = 'Ann', nick = 'A${ENTER}`);
    await shows("test/test'> ");
    type(`B';${ENTER}`);
    // In colour, with the time it took.
    const created = await shows('test/test> ');
    expect(created).toContain('\x1b[36mperson:1\x1b[0m');
    expect(created).toContain("\x1b[32m'A\\nB'\x1b[0m");
    expect(created).toMatch(/-- 1 in [\d.]+(µs|ms)/);

    type('SELECT VALUE name FROM per');
    type(TAB);
    await shows('person');
    type(`;${ENTER}`);
    await shows("[\x1b[32m'Ann'\x1b[0m]");

    type(`LET $n = 20;${ENTER}`);
    await shows('test/test> ');
    type(`RETURN $n + 1;${ENTER}`);
    await shows('\x1b[33m21\x1b[0m');
    type(`DEFINE USER bob ON DATABASE PASSWORD${ENTER}'a secret of bob';${ENTER}`);
    await shows('NONE');
    type(UP);
    await shows('RETURN $n + 1;');
    type(`${CTRL_C}\\q${ENTER}`);
    expect(await exited).toBe(0);

    const kept = readFileSync(history, 'utf8').split('\n');
    expect(kept.slice(-4)).toEqual(['SELECT VALUE name FROM person;', 'LET $n = 20;', 'RETURN $n + 1;', '']);
    expect(kept.join()).not.toMatch(/bob|secret/);
    expect(statSync(history).mode & 0o777).toBe(0o600);
  });

  it('shows where it is, and holds transactions', async () => {
    const { type, shows, exited } = terminal('--no-color --hide-welcome', signedIn);
    expect(await shows('test/test> ')).not.toContain('connected');
    type(`USE NS other DB shop;${ENTER}`);
    await shows('other/shop> ');
    type(`RETURN session::db();${ENTER}`);
    await shows("\n'shop'");
    type(`BEGIN;${ENTER}`);
    await shows('other/shop*> ');
    type(`CREATE item:1;${ENTER}`);
    await shows('[{ id: item:1 }]');
    type(`CANCEL;${ENTER}`);
    await shows('other/shop> ');
    type(`DEFINE FIELD price ON item; SELECT * FROM item;${ENTER}`);
    await shows('\n[]');
    type(`\\d item${ENTER}`);
    await shows('DEFINE FIELD price ON item');
    type(`\\c test/test${ENTER}`);
    await shows('test/test> ');
    type(CTRL_D);
    expect(await exited).toBe(0);
  });

  it('shows where a statement is wrong, and goes on', async () => {
    const { type, shows } = terminal('', signedIn);
    await shows('test/test> ');
    type(`SELECT *${ENTER}FORM person;${ENTER}`);
    const error = await shows('^^^^');
    expect(error).toContain('--> [2:1]');
    expect(error).toContain('\x1b[31m');
    type(`RETURN 1; THROW 'no'; RETURN 2;${ENTER}`);
    expect(await shows('An error occurred: no')).toContain('\x1b[33m1\x1b[0m');
    type(`RETURN '\\u{1b}]0;title\\u{7}';${ENTER}`);
    expect(await shows(`'\\u{1b}]0;title\\u{7}'\x1b[0m`)).not.toContain('\x1b]0;');
  });

  it('gives up at Ctrl-C what is typed, and what runs', async () => {
    const { type, shows } = terminal('--no-color', signedIn);
    await shows('test/test> ');
    type(`LET $kept = 7;${ENTER}`);
    await shows('test/test> ');
    type(`SELECT * FROM (${ENTER}`);
    await shows('test/test(> ');
    type(CTRL_C);
    await shows('test/test> ');
    type(`SLEEP 1h;${ENTER}`);
    await shows('SLEEP 1h;');
    type(CTRL_C);
    await shows('The statement was given up');
    type(`RETURN $kept * 6;${ENTER}`);
    await shows('\n42');
  });

  it('shows what live queries see', async () => {
    const { type, shows } = terminal('--no-color', signedIn);
    await shows('test/test> ');
    type(`DEFINE TABLE news; LIVE SELECT * FROM news;${ENTER}`);
    await shows("u'");
    type(`CREATE news:1;${ENTER}`);
    await shows('live CREATE { id: news:1 }');
  });

  it('takes a line for a statement when an option says so', async () => {
    const { type, shows } = terminal('--no-multi --no-color --json', signedIn);
    await shows('test/test> ');
    type(`RETURN [1, NONE]${ENTER}`);
    await shows('[1,null]');
    type(`RETURN [${ENTER}`);
    await shows('test/test(> ');
    type(`2]${ENTER}`);
    await shows('\n[2]');
  });

  it('asks for a password without showing it', async () => {
    const { type, shows, exited } = terminal('');
    await shows('Password of root: ');
    type(`${ROOT.pass}${ENTER}`);
    expect(await shows('test/test> ')).not.toContain(ROOT.pass);
    type(`exit${ENTER}`);
    expect(await exited).toBe(0);
  });

  it('finds earlier statements by Ctrl-R', async () => {
    const { type, shows, exited } = terminal('--no-color', signedIn);
    await shows('test/test> ');
    for (const number of [11, 22, 33]) {
      type(`RETURN ${number} * 2;${ENTER}`);
      await shows(`\n${2 * number}`);
      await shows('test/test> ');
    }
    type(`${CTRL_R}RET`);
    await shows("(reverse-i-search)'RET': ");
    await shows('RETURN 33 * 2;');
    type(CTRL_R);
    await shows('RETURN 22 * 2;');
    type('nowhere');
    await shows("(failed reverse-i-search)'RETnowhere': ");
    type(`${'\x7f'.repeat(7)}${CTRL_R}${CTRL_R}`);
    await shows('RETURN 11 * 2;');
    type(ENTER);
    await shows('\n22');
    await shows('test/test> ');
    // Left as it was typed, and changed before it runs.
    type(`RETURN 5${CTRL_R}33\x07`);
    await shows('test/test> RETURN 5');
    type(`5;${ENTER}`);
    await shows('\n55');
    await shows('test/test> ');
    type(`${CTRL_R}22`);
    await shows('RETURN 22 * 2;');
    // An arrow leads into what was found.
    type(LEFT);
    await shows('test/test> RETURN 22 * 2;');
    type('0');
    await shows('RETURN 22 * 20;');
    type(ENTER);
    await shows('\n440');
    type(`\\q${ENTER}`);
    expect(await exited).toBe(0);
  });

  it('shows tables, and long results in the pager', async () => {
    const { type, shows, exited } = terminal('--no-color --table', { ...signedIn, PAGER: 'sed s/^/paged/' });
    await shows('test/test> ');
    type(`RETURN [{ a: 1, b: 'x' }, { a: 22 }];${ENTER}`);
    const shown = await shows('test/test> ');
    expect(shown).toContain(" a  | b\r\n----+-----\r\n  1 | 'x'\r\n 22 |\r\n");
    expect(shown).not.toContain('paged');
    type(`RETURN (<array> 1..=60).map(|$n| { n: $n });${ENTER}`);
    expect(await shows('-- 60 in')).toMatch(/paged n\r\npaged---/);
    await shows('test/test> ');
    type(`\\pager${ENTER}`);
    await shows('The pager is off');
    type(`\\table${ENTER}`);
    await shows('Tables are off');
    type(`RETURN [{ a: 1 }];${ENTER}`);
    await shows('[{ a: 1 }]');
    type(`RETURN (<array> 1..=60).map(|$n| { n: $n });${ENTER}`);
    expect(await shows('-- 60 in')).not.toContain('paged');
    type(CTRL_D);
    expect(await exited).toBe(0);
  });

  it('fails when no server answers', async () => {
    const { shows, exited } = terminal('--endpoint ws://127.0.0.1:1', signedIn);
    await shows('nothing listens there');
    expect(await exited).toBe(1);
  });
});
