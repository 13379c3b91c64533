/**
 * A58: the server that sends a mail is killed at each step of it: at each of its commits, and at each step of the
 * conversation with a real mail server. No mail is lost while it is valid, and none arrives more than twice.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SMTPServerOptions } from 'smtp-server';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findDatabase } from '../../../src/catalog/definitions/lookup.js';
import { queueMail } from '../../../src/catalog/mail/outbox.js';
import { realEnvironment } from '../../../src/env/real.js';
import { openDatabase } from '../../../src/session/database/database.js';
import { openLmdb } from '../../../src/storage/lmdb/engine/lmdb.js';
import { withRetries } from '../../../src/storage/retry.js';
import { compiled } from '../../support/compiled.js';
import { startMailServer, type TestMailServer } from '../../support/mail-server.js';
import { isInTurn } from '../../support/runs-all.js';
import { atLeast } from '../../support/timeouts.js';

const DEADLINE = { timeout: atLeast(120_000) };
/** Seconds by which the clock of each further server is ahead: a try that was cut off is due by then. */
const LATER = 50;

let child: string;
let folder: string;
let server: TestMailServer;
let running: ChildProcess | undefined;
beforeAll(() => {
  child = compiled('tests/security/identity/mail-kills-child.ts', mkdtempSync(join(tmpdir(), 'tessera-mail-kills-')));
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tessera-mail-kills-'));
});
afterEach(async () => {
  running?.kill('SIGKILL');
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A store in which one mail waits, and a mail server for it. */
async function prepare(options: SMTPServerOptions = {}): Promise<void> {
  server = await startMailServer(options);
  const database = await openDatabase(openLmdb(folder));
  const owner = database.ownerSession();
  await owner.use('test', 'test');
  const text = `DEFINE CONFIG MAIL FROM 'no-reply@shop.example' SMTP 'smtp://127.0.0.1:${server.port}'`;
  const [{ outcome } = {}] = await owner.query(text);
  expect(outcome?.ok).toBe(true);
  await database.close();
  const engine = openLmdb(folder);
  await withRetries(engine, async (transaction) => {
    const { id } = (await findDatabase(transaction, 'test', 'test'))!;
    const expires = realEnvironment.clock.now() + 600_000_000_000n;
    await queueMail(
      transaction,
      { id, namespace: 'test', name: 'test' },
      { to: 'ann@example.com', subject: 'Code', text: '12345678', html: '12345678', kind: 'code', expires },
      realEnvironment,
    );
  });
  await engine.close();
}

/** Runs the server until it is killed, or nothing waits. What it printed then, `undefined` if it was killed. */
async function run(number: number, ...killed: readonly string[]): Promise<string | undefined> {
  const args = [child, folder, String(number * LATER), ...killed];
  running = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [said, errors] = ['', ''];
  running.stdout?.on('data', (text) => (said += text));
  running.stderr?.on('data', (text) => (errors += text));
  const [code, signal] = (await once(running, 'close')) as [number | null, string | null];
  if (signal !== 'SIGKILL') expect([code, errors]).toEqual([0, '']);
  return signal === null ? said.trim() : undefined;
}

const kill = () => void running?.kill('SIGKILL');

describe.skipIf(!isInTurn(5))('A58: killed at a commit', () => {
  test.each(['before', 'after'])('%s it', DEADLINE, async (when) => {
    let commits = 0;
    for (let isKilled = true; isKilled; ) {
      commits++;
      await prepare();
      isKilled = (await run(0, String(commits), when)) === undefined;
      if (isKilled) expect(await run(1)).toMatch(/^\[\['sent', [12]\]\]$/);
      const arrived = server.received.length;
      expect(arrived).toBeGreaterThanOrEqual(1);
      expect(arrived).toBeLessThanOrEqual(2);
      expect(new Set(server.received.map(({ parsed }) => parsed.messageId)).size).toBe(1);
      // Only the last commit, that of the end, leaves open whether the mail has arrived.
      if (commits < 3) expect(arrived).toBe(1);
      await server.close();
      rmSync(folder, { recursive: true, force: true });
      folder = mkdtempSync(join(tmpdir(), 'tessera-mail-kills-'));
    }
    // The try, the text, the end.
    expect(commits).toBeGreaterThan(3);
    await prepare();
  });
});

/** Kills the server once, at a step of the conversation. */
const STEPS: Readonly<Record<string, (once: (callback: () => void) => void) => SMTPServerOptions>> = {
  'when it connects': (first) => ({ onConnect: (_, callback) => first(callback) }),
  'when it names the sender': (first) => ({ onMailFrom: (_address, _session, callback) => first(callback) }),
  'when it names the recipient': (first) => ({ onRcptTo: (_address, _session, callback) => first(callback) }),
};

describe('A58: killed by the mail server', () => {
  for (const [step, options] of Object.entries(STEPS))
    test(`${step}: the mail arrives once`, DEADLINE, async () => {
      let isFirst = true;
      await prepare(
        options((callback) => {
          if (isFirst) kill();
          isFirst = false;
          callback();
        }),
      );
      expect(await run(0)).toBeUndefined();
      expect(await run(1)).toBe("[['sent', 2]]");
      expect(server.received).toHaveLength(1);
    });

  /** A mail server that kills its client around the end of the text, so many times. */
  async function killingAtTheText(times: number, isTaken: boolean): Promise<string[]> {
    const arrived: string[] = [];
    let left = times;
    await prepare({
      onData: (stream, _, callback) => {
        stream.resume();
        stream.on('end', () => {
          const isNow = left-- > 0;
          if (!isNow || isTaken) arrived.push('the mail');
          if (isNow) kill();
          callback(null);
        });
      },
    });
    return arrived;
  }

  test('when it has taken the text, before its answer: the mail arrives twice', DEADLINE, async () => {
    const arrived = await killingAtTheText(1, true);
    expect(await run(0)).toBeUndefined();
    expect(await run(1)).toBe("[['sent', 2]]");
    expect(arrived).toHaveLength(2);
  });

  test('when it has the text, but doesn’t take it: the mail arrives', DEADLINE, async () => {
    const arrived = await killingAtTheText(1, false);
    expect(await run(0)).toBeUndefined();
    expect(await run(1)).toBe("[['sent', 2]]");
    expect(arrived).toHaveLength(1);
  });

  test('again and again when it has taken the text: the mail arrives twice and no more', DEADLINE, async () => {
    const arrived = await killingAtTheText(4, true);
    expect(await run(0)).toBeUndefined();
    expect(await run(1)).toBeUndefined();
    expect(await run(2)).toBe("[['failed', 2]]");
    expect(arrived).toHaveLength(2);
  });

  test('again and again before it has the text: the mail arrives at the fourth try', DEADLINE, async () => {
    let left = 3;
    await prepare({
      onRcptTo: (_address, _session, callback) => {
        if (left-- > 0) kill();
        callback();
      },
    });
    for (const number of [0, 1, 2]) expect(await run(number)).toBeUndefined();
    expect(await run(3)).toBe("[['sent', 4]]");
    expect(server.received).toHaveLength(1);
  });
});
