import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { HISTORY_SIZE, History, historyEntries, historyFile } from '../../../src/cli/shell/history.js';

const folder = mkdtempSync(join(tmpdir(), 'tessera-history-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the history of a shell', () => {
  it('is kept in a file that no one else may read', () => {
    const file = join(folder, 'state', 'history');
    new History(file).add(historyEntries('RETURN\n  1;'));
    new History(file).add(historyEntries('RETURN 2;'));
    expect(new History(file).load()).toEqual(['RETURN 2;', 'RETURN 1;']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'state')).mode & 0o777).toBe(0o700);
    chmodSync(file, 0o644);
    new History(file).load();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each([
    "DEFINE USER bob ON ROOT PASSWORD 'secret'",
    "define user bob on root passhash '$argon2id$…'",
    "DEFINE USER bob ON ROOT\n  PASSWORD\n  'secret';",
    "DEFINE ACCESS a ON DATABASE TYPE JWT ALGORITHM HS512 KEY 'secret'",
    'RETURN "eyJhbGciOiJIUzUxMiJ9.eyJ.x"',
    'LET $token = "x"',
    'CREATE user SET password = "x"',
    'RETURN crypto::argon2::compare(pass, "x")',
  ])('leaves out %j', (text) => {
    expect(historyEntries(text)).toEqual([]);
  });

  it('keeps what only resembles a secret', () => {
    expect(historyEntries('SELECT keyboard, passenger FROM monkey;')).toHaveLength(1);
  });

  it('keeps the lines apart where a line break means something', () => {
    expect(historyEntries("RETURN 'a\nb';")).toEqual(["RETURN 'a", "b';"]);
  });

  it('grows no further than it is read', () => {
    const file = join(folder, 'long');
    writeFileSync(file, 'RETURN 1;\n'.repeat(2 * HISTORY_SIZE + 1));
    expect(new History(file).load()).toHaveLength(HISTORY_SIZE);
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(HISTORY_SIZE + 1);
  });

  it('does without a file that cannot be written', () => {
    const history = new History(join('/dev/null', 'history'));
    history.add(['RETURN 1;']);
    expect(history.load()).toEqual([]);
  });

  it('stands where programs keep their state', () => {
    expect(historyFile({ XDG_STATE_HOME: '/state' })).toBe('/state/tessera/history');
    expect(historyFile({})).toMatch(/\/\.local\/state\/tessera\/history$/);
    expect(historyFile({ SVC_HISTORY: '/elsewhere' })).toBe('/elsewhere');
  });
});
