/** The log of slow statements, over a real server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Log } from '../../src/http/base/log.js';
import type { RunningServer } from '../../src/server/server.js';
import { ROOT, startTestServer } from '../support/server.js';

type Line = Readonly<Record<string, unknown>>;

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('The log of slow statements', () => {
  const lines: Line[] = [];
  const log: Log = {
    debug() {},
    info() {},
    error() {},
    warn: (details, text) => void (text === 'Slow statement' && lines.push(details as Line)),
  };
  let server: RunningServer;
  beforeAll(async () => {
    // Every statement takes longer than that.
    const settings = { SVC_SLOW_LOG_THRESHOLD: '1ms', SVC_SLOW_LOG_PARAM_ALLOW: 'age,person,password' };
    server = await startTestServer(settings, { log });
  });
  afterAll(() => server.close());

  async function sql(text: string, variables = '', headers: Readonly<Record<string, string>> = {}): Promise<Line[]> {
    lines.length = 0;
    const authorization = `Basic ${Buffer.from(`${ROOT.username}:${ROOT.password}`).toString('base64')}`;
    const answer = await fetch(`${server.url}/sql${variables}`, {
      method: 'POST',
      body: text,
      headers: {
        accept: 'application/json',
        authorization,
        'surreal-ns': 'test',
        'surreal-db': 'shop',
        'x-request-id': 'request-7',
        ...headers,
      },
    });
    await answer.text();
    return lines;
  }

  test('names the request, the user, the time and the statement, without its values', async () => {
    const found = await sql('SLEEP 2ms', '', { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` });
    const line = found.find(({ kind }) => kind === 'sleep');
    expect(line).toMatchObject({
      request: 'request-7',
      trace: TRACE,
      kind: 'sleep',
      namespace: 'test',
      database: 'shop',
      user: ROOT.username,
      parameters: {},
    });
    expect(line?.['milliseconds']).toBeGreaterThanOrEqual(2);
  });

  test('shows no literal, and parameters only where a setting allows it', async () => {
    const text = 'RETURN { SLEEP 3ms; RETURN [$age, $name, $person, $password, "a secret", 4711] }';
    const [line] = await sql(text, '?age=40&name=Ann&person=p&password=hunter2');
    expect(line).toMatchObject({
      kind: 'return',
      parameters: { age: expect.stringMatching(/40/), person: 'p', name: '[redacted]', password: '[redacted]' },
    });
    expect(JSON.stringify(line)).not.toMatch(/secret"|4711|Ann|hunter2/);
    expect(line?.['statement']).toContain("'…'");
  });

  test('never shows a password or a key of a definition', async () => {
    const [line] = await sql("DEFINE USER OVERWRITE ann ON ROOT PASSWORD 'the secret of Ann' ROLES VIEWER");
    expect(line).toMatchObject({ kind: 'define-user' });
    expect(JSON.stringify(line)).not.toContain('secret of');
    const [access] = await sql(
      "DEFINE ACCESS jwt ON DATABASE TYPE JWT ALGORITHM HS256 KEY 'a key of thirty-two characters!!'; SLEEP 2ms",
    );
    expect(JSON.stringify(access)).not.toContain('thirty-two');
  });

  test('has statements that were cut off, and the code of their error', async () => {
    const [line] = await sql('SELECT * FROM [1] WHERE { SLEEP 20s; RETURN true } TIMEOUT 3ms');
    expect(line).toMatchObject({ kind: 'select', error: 'timed_out' });
  });

  test('has statements of a block', async () => {
    const [line] = await sql('BEGIN; SLEEP 3ms; COMMIT');
    expect(line).toMatchObject({ kind: 'sleep' });
  });
});

test('A statement that times out is logged however high the threshold is; without one nothing is', async () => {
  for (const [threshold, expected] of [
    ['1h', 1],
    ['none', 0],
  ] as const) {
    const lines: object[] = [];
    const log: Log = { debug() {}, info() {}, error() {}, warn: (details) => void lines.push(details) };
    const server = await startTestServer({ SVC_SLOW_LOG_THRESHOLD: threshold }, { log });
    try {
      const authorization = `Basic ${Buffer.from(`${ROOT.username}:${ROOT.password}`).toString('base64')}`;
      const body = 'RETURN 1; SELECT * FROM [1] WHERE { SLEEP 20s; RETURN true } TIMEOUT 3ms';
      const headers = { accept: 'application/json', authorization, 'surreal-ns': 'test', 'surreal-db': 'shop' };
      await (await fetch(`${server.url}/sql`, { method: 'POST', body, headers })).text();
      expect(lines).toHaveLength(expected);
    } finally {
      await server.close();
    }
  }
});
