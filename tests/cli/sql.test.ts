import { PassThrough, Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isReady } from '../../src/cli/is-ready.js';
import { runSql, type SqlOptions } from '../../src/cli/sql.js';
import { serverVersion } from '../../src/cli/version.js';
import type { RunningServer } from '../../src/server/server.js';
import { ROOT, startTestServer } from '../support/server.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

async function sql(text: string, options: Partial<SqlOptions> = {}) {
  const output = new PassThrough();
  const errors = new PassThrough();
  const code = await runSql(
    {
      endpoint: server.url,
      user: ROOT.username,
      pass: ROOT.password,
      ns: 'test',
      db: 'test',
      authLevel: 'root',
      ...options,
    },
    { input: Readable.from([text]), output, errors },
  );
  output.end();
  errors.end();
  const read = (stream: PassThrough) => String(stream.read() ?? '');
  return { code, output: read(output), errors: read(errors) };
}

describe.each(['http', 'ws'])('tessera sql over %s', (scheme) => {
  const endpoint = () => server.url.replace('http', scheme);

  it('prints one line for each result', async () => {
    expect(await sql("RETURN 1f; RETURN { a: 'x' }; RETURN NONE", { endpoint: endpoint() })).toEqual({
      code: 0,
      output: "1f\n{ a: 'x' }\nNONE\n",
      errors: '',
    });
  });

  it('prints JSON', async () => {
    expect((await sql('RETURN [1, NONE, person:1]', { endpoint: endpoint(), json: true })).output).toBe(
      '[1,null,"person:1"]\n',
    );
  });

  it('selects the namespace and the database', async () => {
    expect((await sql('RETURN session::ns()', { endpoint: endpoint() })).output).toBe("'test'\n");
  });

  it('gives the code 1 when a statement fails, and goes on', async () => {
    const { code, output, errors } = await sql('RETURN 1; THROW "no"; RETURN 2', { endpoint: endpoint() });
    expect({ code, output }).toEqual({ code: 1, output: '1\n2\n' });
    expect(errors).toContain('An error occurred: no');
    expect((await sql('SEL ECT', { endpoint: endpoint() })).code).toBe(1);
  });

  it('fails when signing in fails', async () => {
    await expect(sql('RETURN 1', { endpoint: endpoint(), pass: 'wrong' })).rejects.toThrow('authentication');
  });
});

it('needs a password for a user', async () => {
  await expect(
    runSql(
      { endpoint: server.url, user: ROOT.username, authLevel: 'root' },
      { input: Readable.from(['RETURN 1']), output: new PassThrough(), errors: new PassThrough() },
    ),
  ).rejects.toThrow('--user and --pass need each other');
});

describe('tessera isready', () => {
  it('says whether a server is there', async () => {
    expect(await isReady(server.url)).toEqual({ state: 'ready', text: 'OK' });
    expect((await isReady(`${server.url.replace('http', 'ws')}/rpc`)).state).toBe('ready');
    expect((await isReady(`${server.url}/elsewhere`)).state).toBe('unready');
    expect(await isReady('http://127.0.0.1:1')).toEqual({
      state: 'silent',
      text: 'No server answers at http://127.0.0.1:1',
    });
    expect((await isReady('127.0.0.1')).state).toBe('unknown');
  });
});

describe('tessera version', () => {
  it('says which server is there', async () => {
    expect(await serverVersion(server.url)).toMatch(/^server tessera\/[\d.]+ \(speaks surrealdb-3\.[\d.]+\)$/);
    await expect(serverVersion(`${server.url}/elsewhere`)).rejects.toThrow('does not report its version');
    await expect(serverVersion('ws://127.0.0.1:1')).rejects.toThrow('No server answers');
  });
});
