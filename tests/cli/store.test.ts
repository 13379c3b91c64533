import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCheck, runUpgrade } from '../../src/cli/store.js';
import type { Entry, Transaction } from '../../src/storage/contract.js';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import { isObject, type ObjectValue, objectFrom, type Value } from '../../src/value/value.js';
import { TextSink } from '../support/text-sink.js';

let folder: string;
let data: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tessera-'));
  data = join(folder, 'data.mdb');
  writeFileSync(data, gunzipSync(readFileSync('tests/storage/fixtures/format-1.mdb.gz')));
  await runUpgrade(folder, new TextSink());
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Report {
  readonly sound: boolean;
  readonly format: string;
  readonly entries: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly faults: readonly { readonly part: string; readonly place: string; readonly what: string }[];
  readonly advice: Readonly<Record<string, string>>;
  readonly repair?: { readonly added: number; readonly removed: number; readonly conflicts: readonly string[] };
}

async function check(options: { readonly repairIndexes?: boolean } = {}): Promise<Report> {
  const output = new TextSink();
  const isSound = await runCheck(folder, { ...options, json: true }, output, new TextSink());
  const report: Report = JSON.parse(output.text);
  expect(report.sound).toBe(isSound);
  return report;
}

async function checkText(options: { readonly repairIndexes?: boolean } = {}): Promise<string> {
  const output = new TextSink();
  await runCheck(folder, options, output, new TextSink());
  return output.text;
}

/** Changes what is stored past everything that keeps it consistent. The kind is the byte that `store-keys.ts` has behind the database. */
async function tamper(change: (transaction: Transaction, ofKind: (kind: string) => Entry[]) => void): Promise<void> {
  const engine = openLmdb(folder);
  const transaction = engine.begin({ writable: true });
  const all: Entry[] = [];
  const cursor = transaction.scan({ from: 'D', to: 'E' });
  for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) all.push(...batch);
  change(transaction, (kind) => all.filter(([key]) => key[5] === kind));
  await transaction.commit();
  await engine.close();
}

function withField(object: Value, name: string, value: Value): ObjectValue {
  return objectFrom({ ...(object as ObjectValue), [name]: value });
}

/** Damages the bytes behind a text in the data file, everywhere. */
function flipBehind(text: string): void {
  const file = readFileSync(data);
  for (let at = file.indexOf(text); at !== -1; at = file.indexOf(text, at + 1)) {
    const target = at + text.length - 1;
    file[target] = (file[target] as number) ^ 1;
  }
  writeFileSync(data, file);
}

/** Text of an entry in a leaf of the tree. */
const ENTRY = 'DEFINE FUNCTION';
const PAGE_SIZE = 4096;

describe('tessera check', () => {
  it('finds nothing in a sound store, and changes nothing', async () => {
    const before = readFileSync(data);
    expect(await check()).toMatchObject({ sound: true, format: '2', entries: 399, counts: {}, faults: [] });
    expect(await checkText()).toMatch(/^data\.mdb: format 2, \d+ bytes, 399 entries .*\nEverything is sound\n$/);
    expect(readFileSync(data).equals(before)).toBe(true);
  });

  it('reads a store of format 1 without converting it', async () => {
    const old = gunzipSync(readFileSync('tests/storage/fixtures/format-1.mdb.gz'));
    writeFileSync(data, old);
    expect(await check()).toMatchObject({ sound: true, format: '1', entries: 398 });
    expect(readFileSync(data).equals(old)).toBe(true);
  });

  it('finds index entries that are missing, too many and wrong, and writes them again', async () => {
    await tamper((transaction, ofKind) => {
      const entries = ofKind('x');
      transaction.delete((entries[2] as Entry)[0]);
      transaction.put(`${(entries[8] as Entry)[0].slice(0, -3)}zzz`, (entries[8] as Entry)[1]);
      transaction.put((entries[14] as Entry)[0], 12_345);
      transaction.delete((entries.at(-1) as Entry)[0]);
    });
    const found = await check();
    expect(found.counts).toEqual({ indexes: 5 });
    expect(new Set(found.faults.map(({ place }) => place))).toEqual(
      new Set(['index person_age on table person of old/shop', 'index person_email on table person of old/shop']),
    );
    expect(found.faults.some(({ what }) => /^person:\d+ isn’t listed$/.test(what))).toBe(true);
    expect(found.advice['indexes']).toContain('--repair-indexes');
    const repaired = await check({ repairIndexes: true });
    expect(repaired).toMatchObject({ sound: true, repair: { added: 3, removed: 2, conflicts: [] } });
    expect(await check()).toMatchObject({ sound: true });
  });

  it('reports records that a unique index can’t both list', async () => {
    await tamper((transaction, ofKind) => {
      const [first, second] = ofKind('r').filter(([, value]) => isObject(value) && value['email'] !== undefined);
      const [key, value] = second as Entry;
      transaction.put(key, withField(value, 'email', ((first as Entry)[1] as ObjectValue)['email']));
    });
    expect(await checkText({ repairIndexes: true })).toMatch(
      /person_email .*: 1 records have values that another one has/,
    );
  });

  it('finds edges, references, entries of changefeeds and definitions that are wrong', async () => {
    await tamper((transaction, ofKind) => {
      const edges = ofKind('e');
      transaction.delete((edges.find(([, value]) => typeof value !== 'string') as Entry)[0]);
      transaction.delete((edges.find(([, value]) => value === 'owner') as Entry)[0]);
      transaction.put((ofKind('l')[3] as Entry)[0], ['define', null]);
    });
    const found = await check();
    expect(found.counts).toEqual({ edges: 1, references: 1, changes: 1 });
    expect(found.faults.map(({ what }) => what).join()).toMatch(
      /bought:\w+ isn’t found.*the reference owner of item:/s,
    );
    await tamper((transaction, ofKind) => {
      const [key, value] = ofKind('d').find(([, each]) => /DEFINE FUNCTION/.test(JSON.stringify(each))) as Entry;
      transaction.put(key, withField(value, 'text', 'DEFINE FUNCTION fn::'));
    });
    expect((await check()).counts).toEqual({ catalog: 1 });
  });

  it('names a record whose bytes are damaged, and checks the others', async () => {
    flipBehind('long long long long');
    const found = await check();
    expect(Object.keys(found.counts)).toEqual(['values']);
    const ofItem = found.faults.filter(({ place }) => place === 'table item of old/shop');
    expect(ofItem.length).toBeGreaterThan(0);
    for (const { what } of ofItem) expect(what).toMatch(/^item:.* is not as it was written$/);
  });

  it('reports damaged pages, and repairs nothing then', async () => {
    const file = readFileSync(data);
    // All copies of the page that has the entry, of which the tree uses one.
    for (let at = file.indexOf(ENTRY); at >= 0; at = file.indexOf(ENTRY, at)) {
      const page = Math.floor(at / PAGE_SIZE);
      file.fill(0, PAGE_SIZE * page, PAGE_SIZE * (page + 1));
    }
    writeFileSync(data, file);
    const found = await check({ repairIndexes: true });
    expect(Object.keys(found.counts)).toEqual(['pages']);
    expect(found.repair).toBeUndefined();
    writeFileSync(data, '');
    expect((await check()).faults[0]?.what).toBe('data.mdb is empty');
  });

  it('names the folder that it may not write to, where it takes part in its lock', async () => {
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o444);
    chmodSync(folder, 0o555);
    // To root everything is allowed. Others may not be able to read this checkout, so that rights are dropped once the
    // command is loaded.
    const built = (module: string) => JSON.stringify(pathToFileURL(resolve(`dist/cli/${module}.js`)).href);
    const script = `
      const { runCheck } = await import(${built('store')});
      const { systemErrorText } = await import(${built('client/system-error')});
      if (process.getuid?.() === 0) {
        process.setgid(65534);
        process.setuid(65534);
      }
      await runCheck(${JSON.stringify(folder)}, {}, process.stdout, process.stderr).catch((error) => {
        process.stderr.write(\`tessera: \${systemErrorText(error)}\\n\`);
      });`;
    const command = ['--input-type=module', '--eval', script];
    const said = await promisify(execFile)(process.execPath, command, { cwd: tmpdir() });
    chmodSync(folder, 0o755);
    expect(said.stderr).toBe(`tessera: The rights to read and write ${folder} are missing\n`);
  });

  it('needs a folder that exists and that no process has open', async () => {
    const engine = openLmdb(folder);
    await expect(check()).rejects.toMatchObject({ code: 'storage_in_use' });
    await expect(runUpgrade(folder, new TextSink())).rejects.toMatchObject({ code: 'storage_in_use' });
    await engine.close();
    const missing = join(folder, 'missing');
    await expect(runCheck(missing, {}, new TextSink(), new TextSink())).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(runUpgrade(missing, new TextSink())).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(runCheck('memory', {}, new TextSink(), new TextSink())).rejects.toMatchObject({
      code: 'storage_address',
    });
  });
});
