import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FormatOptions, runFormat } from '../../src/cli/format.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tessera-format-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function format(paths: readonly string[], options: FormatOptions = {}, input = '') {
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const code = await runFormat(paths, options, { input: Readable.from([Buffer.from(input)]), output, errors });
  return { code, output: String(output.read() ?? ''), errors: String(errors.read() ?? '') };
}

it('lays out files and those of folders, and says which have changed', async () => {
  await mkdir(join(folder, 'deep'));
  const [one, two] = [join(folder, 'b.surql'), join(folder, 'deep', 'a.surql')];
  await writeFile(one, 'select 1 from a; -- why', { mode: 0o640 });
  await writeFile(two, 'RETURN 1;\n');
  await writeFile(join(folder, 'notes.txt'), 'select');
  expect(await format([folder], { check: true })).toEqual({ code: 1, output: `${one} would change\n`, errors: '' });
  expect(await readFile(one, 'utf8')).toBe('select 1 from a; -- why');
  expect(await format([folder])).toEqual({ code: 0, output: `${one} changed\n`, errors: '' });
  expect(await readFile(one, 'utf8')).toBe('SELECT 1 FROM a; -- why\n');
  expect((await stat(one)).mode & 0o777).toBe(0o640);
  expect(await format([folder], { check: true })).toEqual({ code: 0, output: '', errors: '' });
  expect(await readdir(folder)).toEqual(['b.surql', 'deep', 'notes.txt']);
});

it('leaves a file that cannot be parsed, and goes on', async () => {
  const [bad, good] = [join(folder, 'bad.surql'), join(folder, 'good.surql')];
  await writeFile(bad, 'return 1;\nSEL ECT 2;');
  await writeFile(good, 'return 1');
  const { code, output, errors } = await format([bad, good]);
  expect({ code, output }).toEqual({ code: 1, output: `${good} changed\n` });
  expect(errors).toContain(`${bad}:2:5: Parse error: Unexpected token`);
  expect(await readFile(bad, 'utf8')).toBe('return 1;\nSEL ECT 2;');
  await expect(format([join(folder, 'none.surql')])).rejects.toThrow('ENOENT');
});

it('goes from the input to the output', async () => {
  expect(await format(['-'], {}, 'return 1')).toEqual({ code: 0, output: 'RETURN 1\n', errors: '' });
  expect(await format(['-'], { check: true }, 'return 1')).toMatchObject({ code: 1, output: '- would change\n' });
});
