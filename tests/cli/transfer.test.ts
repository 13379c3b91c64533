import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runSql } from '../../src/cli/sql.js';
import { type ExportOptions, runExport, runImport } from '../../src/cli/transfer.js';
import { runValidate } from '../../src/cli/validate.js';
import type { RunningServer } from '../../src/server/server.js';
import { ROOT, startTestServer } from '../support/server.js';

let server: RunningServer;
let folder: string;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tessera-transfer-'));
});
afterEach(() => rm(folder, { recursive: true }));

const connection = (db: string): ExportOptions => ({
  endpoint: server.url,
  user: ROOT.username,
  pass: ROOT.password,
  ns: 'test',
  db,
  authLevel: 'root',
  records: true,
});

function streams(input = '', isTTY = false) {
  const output = new PassThrough();
  const errors = Object.assign(new PassThrough(), { isTTY });
  return { input: Readable.from([Buffer.from(input)]), output, errors };
}

async function sql(db: string, text: string): Promise<string> {
  const terminal = streams(text);
  await runSql(connection(db), terminal);
  return String(terminal.output.read() ?? terminal.errors.read());
}

describe('tessera export and import', () => {
  it('carry a database through a file', async () => {
    await sql('from', "CREATE a:1 SET name = 'ü'; DEFINE PARAM $p VALUE 1; CREATE b:1");
    const file = join(folder, 'backup.surql');
    await runExport(file, connection('from'), streams());
    expect(await readdir(folder)).toEqual(['backup.surql']);
    await runImport(file, connection('to'), streams());
    expect(await sql('to', 'SELECT * FROM a; RETURN $p')).toBe("[{ id: a:1, name: 'ü' }]\n1\n");
    const copy = streams();
    await runExport('-', { ...connection('to'), endpoint: `${server.url.replace('http', 'ws')}/rpc` }, copy);
    expect(String(copy.output.read())).toBe(await readFile(file, 'utf8'));
  });

  it('select and leave out', async () => {
    await sql('parts', 'CREATE a:1, b:1; DEFINE PARAM $p VALUE 1; DEFINE FUNCTION fn::f() { 1 }');
    const text = async (options: Partial<ExportOptions>) => {
      const terminal = streams();
      await runExport(undefined, { ...connection('parts'), ...options }, terminal);
      return [...String(terminal.output.read()).matchAll(/^-- ([A-Z].*)$/gm)].map(([, title]) => title);
    };
    expect(await text({ only: true, params: true })).toEqual(['OPTION', 'PARAMS']);
    expect(await text({ only: true, tables: ['b'] })).toEqual(['OPTION', 'TABLE: b', 'TABLE DATA: b']);
    expect(await text({ records: false })).toEqual(['OPTION', 'PARAMS', 'FUNCTIONS', 'TABLE: a', 'TABLE: b']);
  });

  it('show how far they are in a terminal, and nowhere else', async () => {
    await sql('shown', 'CREATE a:1');
    const file = join(folder, 'shown.surql');
    const terminal = streams('', true);
    await runExport(file, connection('shown'), terminal);
    expect(String(terminal.errors.read())).toMatch(/\rExported 0\.0 MiB.*\n$/);
    await runImport(file, connection('shown-copy'), terminal);
    expect(String(terminal.errors.read())).toMatch(/\r\[=+\] 100% Imported 0\.0 MiB of 0\.0 MiB.*\n$/);
    const piped = streams();
    await runExport(file, connection('shown'), piped);
    expect(piped.errors.read()).toBe(null);
  });

  it('fail with what the server says, and leave no file behind', async () => {
    const file = join(folder, 'none.surql');
    await expect(runExport(file, { ...connection('a'), pass: 'wrong' }, streams())).rejects.toThrow('authentication');
    await expect(runExport(file, { ...connection('a'), endpoint: 'http://127.0.0.1:1' }, streams())).rejects.toThrow(
      'nothing listens there',
    );
    expect(await readdir(folder)).toEqual([]);
    await expect(runImport('-', connection('failing'), streams('CREATE a:1;\nCREATE a:1'))).rejects.toThrow(
      'line 2, column 1',
    );
    await expect(runImport('-', connection('failing'), streams('SEL ECT'))).rejects.toThrow('--> [1:5]');
    await expect(runImport(file, connection('failing'), streams())).rejects.toThrow('ENOENT');
  });

  it('end while much is still to be sent, when something is wrong', async () => {
    const file = join(folder, 'long.surql');
    await writeFile(file, `CREATE a:1; CREATE a:1; ${'RETURN 1;\n'.repeat(1_000_000)}`);
    await expect(runImport(file, connection('long'), streams())).rejects.toThrow('line 1, column 13');
  });
});

describe('tessera validate', () => {
  const validate = async (...files: string[]) => {
    const output = new PassThrough();
    const code = await runValidate(files, Readable.from([Buffer.from('RETURN 1')]), output);
    return { code, text: String(output.read()) };
  };

  it('reports where files are wrong', async () => {
    const [good, bad] = [join(folder, 'good.surql'), join(folder, 'bad.surql')];
    await writeFile(good, "RETURN 'ü'; CREATE a;\n-- the end\n");
    await writeFile(bad, 'RETURN 1;\nSEL ECT 2;');
    expect(await validate(good, '-')).toEqual({ code: 0, text: `${good}: 2 statements, OK\n-: 1 statement, OK\n` });
    const { code, text } = await validate(bad, good);
    expect(code).toBe(1);
    expect(text).toContain(`${bad}:2:5: Parse error: Unexpected token`);
    expect(text).toContain('2 | SEL ECT 2;\n  |     ^^^\n');
    expect(text).toContain(`${good}: 2 statements, OK`);
    await expect(validate(join(folder, 'none.surql'))).rejects.toThrow('ENOENT');
  });
});
