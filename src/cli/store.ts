/** `tessera check` and `tessera upgrade`. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describeKey, isRecordKey } from '../catalog/keys/describe-key.js';
import { checkEntries } from '../ddl/check/check-entries.js';
import { ADVICE, Faults } from '../ddl/check/fault.js';
import { type RepairResult, repairIndexes } from '../ddl/check/repair-indexes.js';
import { failure } from '../errors/error.js';
import { readStoreAddress } from '../storage/address.js';
import { type CheckedFile, checkFile } from '../storage/lmdb/engine/check-file.js';
import { openLmdb } from '../storage/lmdb/engine/lmdb.js';
import type { LmdbOptions } from '../storage/lmdb/engine/lmdb-options.js';
import { DATA_FILE } from '../storage/lmdb/engine/lmdb-store.js';
import { lockFolder } from '../storage/lmdb/file/folder-lock.js';
import { Progress } from './progress.js';

export interface CheckOptions {
  readonly json?: boolean;
  readonly repairIndexes?: boolean;
}

type Terminal = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** What is kept decoded: records are looked up once for each index. */
const CACHE_BYTES = 16 << 20;
/** Pages were verified before. */
const FOR_CHECKS: LmdbOptions = { cacheBytes: CACHE_BYTES, verifyUpTo: 0, describeKey, damagedAsNull: true };

interface Checked {
  readonly file: CheckedFile | undefined;
  readonly faults: Faults;
}

/**
 * Returns whether everything is sound, at the end.
 * @throws TesseraError `storage_in_use`, `storage_format`, `storage_address`; Error of the system, such as that there
 * is no such folder
 */
export async function runCheck(
  address: string,
  { json, repairIndexes: repairs }: CheckOptions,
  output: NodeJS.WritableStream,
  errors: Terminal,
): Promise<boolean> {
  const folder = folderOf(address);
  let checked = await check(folder, errors);
  let repair: RepairResult | undefined;
  // Where pages are damaged, writing would damage more.
  if (repairs === true && checked.faults.countOf('pages') === 0) {
    const engine = openLmdb(folder, FOR_CHECKS);
    try {
      repair = await repairIndexes(engine);
    } finally {
      await engine.close();
    }
    checked = await check(folder, errors);
  }
  output.write(json === true ? `${JSON.stringify(asJson(folder, checked, repair))}\n` : asText(checked, repair));
  return checked.faults.total === 0;
}

async function check(folder: string, errors: Terminal): Promise<Checked> {
  const faults = new Faults();
  const records = new Faults();
  const file = await checkLocked(folder, faults, records, errors);
  // The library can only open a file with sound pages. Records can then be identified.
  const isReadable = file !== undefined && faults.countOf('pages') === 0;
  if (!isReadable) faults.addAll(records);
  if (!isReadable) return { file, faults };
  const engine = openLmdb(folder, { ...FOR_CHECKS, readOnly: true });
  const progress = new Progress('Checked what is stored in', errors, file.size);
  try {
    await checkEntries(engine, faults, (entries) => progress.add((entries / Math.max(1, file.entries)) * file.size));
  } finally {
    progress.end();
    await engine.close();
  }
  return { file, faults };
}

async function checkLocked(
  folder: string,
  faults: Faults,
  records: Faults,
  errors: Terminal,
): Promise<CheckedFile | undefined> {
  const unlock = lockFolder(folder);
  const progress = new Progress('Checked pages of', errors, statSync(join(folder, DATA_FILE)).size);
  let done = 0;
  try {
    return checkFile(folder, {
      page: (what) => faults.add('pages', DATA_FILE, what),
      value: (key) => {
        const target = isRecordKey(key) ? records : faults;
        target.add('values', DATA_FILE, `${describeKey(key)} is not as it was written`);
      },
      progress: (pages, ofPages) => {
        progress.add(((pages - done) / ofPages) * statSync(join(folder, DATA_FILE)).size);
        done = pages;
      },
    });
  } finally {
    progress.end();
    await unlock();
  }
}

function folderOf(address: string): string {
  const { engine, path } = readStoreAddress(address);
  if (engine !== 'lmdb') throw failure('storage_address', { address });
  // Fails where there is none; opening a store would make one.
  statSync(join(path, DATA_FILE));
  return path;
}

function asText({ file, faults }: Checked, repair: RepairResult | undefined): string {
  const lines: string[] = [];
  if (file !== undefined) {
    const { format, size, entries, pages } = file;
    const lost = pages.lost === 0 ? '' : `, ${pages.lost} lost`;
    lines.push(
      `${DATA_FILE}: format ${format ?? 'none'}, ${size} bytes, ${entries} entries on ${pages.used} pages, ${pages.free} free${lost}`,
    );
  }
  if (repair !== undefined) {
    lines.push(`Index entries written: ${repair.added}, removed: ${repair.removed}`);
    for (const place of repair.rebuilt) lines.push(`${place} is built anew when the server starts`);
    for (const [place, count] of counted(repair.conflicts))
      lines.push(`${place}: ${count} records have values that another one has`);
  }
  for (const part of faults.parts) {
    const listed = faults.listed.filter((fault) => fault.part === part);
    lines.push('', `${part}: ${faults.countOf(part)} damaged`);
    for (const [line, count] of counted(listed.map(({ place, what }) => `${place}: ${what}`)))
      lines.push(`  ${line}${count === 1 ? '' : ` (${count} times)`}`);
    if (listed.length < faults.countOf(part)) lines.push(`  and ${faults.countOf(part) - listed.length} more`);
    lines.push(`  → ${ADVICE[part]}`);
  }
  if (faults.total === 0) lines.push('Everything is sound');
  return `${lines.join('\n')}\n`;
}

function counted(lines: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

function asJson(folder: string, { file, faults }: Checked, repair: RepairResult | undefined): object {
  const counts = Object.fromEntries(faults.parts.map((part) => [part, faults.countOf(part)]));
  const advice = Object.fromEntries(faults.parts.map((part) => [part, ADVICE[part]]));
  return {
    folder,
    sound: faults.total === 0,
    ...file,
    counts,
    faults: faults.listed,
    advice,
    ...(repair && { repair }),
  };
}

/** Returns whether every value has a checksum, at the end. @throws TesseraError of the storage; Error of the system */
export async function runUpgrade(address: string, output: NodeJS.WritableStream): Promise<boolean> {
  const folder = folderOf(address);
  const engine = openLmdb(folder, {
    describeKey,
    report: (error) => output.write(`${error.message}\n`),
  });
  try {
    await engine.sealed;
    const text = engine.isSealed
      ? `${folder}: every value has a checksum`
      : `${folder}: not every value could be given a checksum; "tessera check" says which are damaged`;
    output.write(`${text}\n`);
    return engine.isSealed;
  } finally {
    await engine.close();
  }
}
