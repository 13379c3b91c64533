/** The filter `mapper`: files of folders that a setting allows, and no others. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LemmaFiles } from '../../src/query/expression/analyzers.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import type { MemoryLimits } from '../../src/session/resources/server-memory.js';
import { openEngine } from '../../src/storage/open/open.js';
import { toText } from '../../src/value/text/text.js';

let folder: string;
let database: OpenDatabase | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tessera-mapper-'));
  mkdirSync(join(folder, 'open', 'below'), { recursive: true });
});
afterEach(async () => {
  await database?.close();
  database = undefined;
  rmSync(folder, { recursive: true });
});

/** What each statement answers, or its error's code. */
function ask(...statements: string[]): Promise<string[]> {
  return askWithin({}, ...statements);
}

async function askWithin(memory: Partial<MemoryLimits>, ...statements: string[]): Promise<string[]> {
  const search = { mapperFolders: [join(folder, 'open')] };
  database = await openDatabase(await openEngine('memory'), { search, memory });
  const session = database.ownerSession();
  await session.use('test', 'test');
  const results = await session.query(statements.join(';'));
  return results.map(({ outcome }) =>
    outcome.ok ? toText(outcome.value) : `${outcome.error.code}: ${outcome.error.message}`,
  );
}

const file = (name: string, text: string | Buffer): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const define = (path: string) => `DEFINE ANALYZER a TOKENIZERS blank FILTERS lowercase, mapper('${path}')`;

test('words become their lemmas, the later line wins, and others stay', async () => {
  const path = file('open/below/lemmas.tsv', 'be\tis\ngo\twent\r\nrun\tran\nrunning\tran\n');
  expect(
    await ask(
      define(path),
      "search::analyze('a', 'He IS ran went away')",
      'DEFINE INDEX i ON t FIELDS x FULLTEXT ANALYZER a',
      "CREATE t:1 SET x = 'It is here' RETURN NONE",
      "SELECT VALUE id FROM t WHERE x @@ 'be'",
    ),
  ).toEqual(['NONE', "['he', 'be', 'running', 'go', 'away']", 'NONE', '[]', '[t:1]']);
});

test('files elsewhere are refused whether or not they exist, links to them too', async () => {
  const secret = file('secret.tsv', 'a\tb\n');
  symlinkSync(secret, join(folder, 'open', 'link.tsv'));
  const paths = [
    secret,
    join(folder, 'nothing.tsv'),
    join(folder, 'open', 'link.tsv'),
    join(folder, 'open', '..', 'secret.tsv'),
    join(folder, 'open', 'nothing.tsv'),
    join(folder, 'open'),
    '',
  ];
  const answers = await ask(...paths.map(define), 'RETURN (INFO FOR DB).analyzers');
  expect(answers).toEqual([
    ...paths.map((path) => `analyzer_file_denied: Access to the file '${path}' is not allowed`),
    '{  }',
  ]);
});

test('what no file of lemmas is says where', async () => {
  const flawed = file('open/flawed.tsv', 'be\tis\nnothing\n');
  const large = file('open/large.tsv', Buffer.alloc(16 * 2 ** 20 + 1, 'a'));
  const [first, second, third] = await ask(define(flawed), define(large), define(join(folder, 'open', 'below')));
  expect(first).toBe("analyzer_lemma: A value can't be analyzed: Expected two terms separated by a tab line 1");
  expect(second).toContain('analyzer_file: ');
  expect(second).toContain('larger than 16777216 bytes');
  expect(third).toContain('analyzer_file: ');
});

test.skipIf(process.platform === 'win32')('what is no regular file is not waited for', async () => {
  const pipe = join(folder, 'open', 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(await ask(define(pipe))).toEqual([`analyzer_file: The file '${pipe}' can't be read: it is no regular file`]);
});

test('what a file holds is in no error', async () => {
  const secret = 'PASSWORD=hunter2';
  const paths = [file('open/secret.env', `${secret}\n`), file('open/long', secret.repeat(2_000))];
  for (const answer of await ask(...paths.map(define))) expect(answer).toMatch(/^analyzer_lemma: [^=]*line 0$/);
});

test('a large file is read in steps, and what it makes is charged to the request', async () => {
  const lines = Array.from({ length: 400_000 }, (_, at) => `l\t${at.toString(36)}\n`).join('');
  const path = file('open/many.tsv', lines);
  const steps: number[] = [];
  await new LemmaFiles([folder]).read(path, (more) => void steps.push(more));
  expect(steps.reduce((sum, more) => sum + more, 0)).toBe(400_000);
  expect(Math.max(...steps)).toBeLessThan(2 ** 13);
  const [answer] = await askWithin({ request: 16 * 2 ** 20 }, define(path));
  expect(answer).toContain('request_memory');
});

test('analyzers share what is read of a file, until it changes', async () => {
  const files = new LemmaFiles([folder]);
  const path = file('open/shared.tsv', 'be\tis\n');
  const read = () => files.read(path, () => undefined);
  const [first, second] = await Promise.all([read(), read()]);
  expect(second).toBe(first);
  appendFileSync(path, 'go\twent\n');
  expect([...(await read())]).toEqual([
    ['is', 'be'],
    ['went', 'go'],
  ]);
  const changing = files.read(file('open/changing.tsv', 'be\tis\n'), () =>
    appendFileSync(join(folder, 'open', 'changing.tsv'), 'x\ty\n'),
  );
  await expect(changing).rejects.toMatchObject({ code: 'analyzer_file' });
});
