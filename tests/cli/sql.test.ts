import { PassThrough, Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isReady } from '../../src/cli/is-ready.js';
import { runSql, type SqlOptions } from '../../src/cli/sql.js';
import type { RunningServer } from '../../src/server/server.js';
import { ROOT, startTestServer } from '../protocol/server.js';

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

describe('tessera isready', () => {
  it('tells whether a server is there', async () => {
    expect(await isReady(server.url)).toBeUndefined();
    expect(await isReady(`${server.url.replace('http', 'ws')}/rpc`)).toBeUndefined();
    expect(await isReady('http://127.0.0.1:1')).toContain('No server answers');
  });
});
