/**
 * A process that may be ended by what it does: `node damage-child.js <data file> <folder>`. Each line of its input is a damage: `flip <position>
 * <bits>` or `cut <length>`. It copies the file into a folder, damages the copy, opens it, and reads all that was in the sound one, by key
 * and in order. Then it prints the line with `right`, `wrong`, or the codes of the errors it met.
 */
import { cpSync, mkdirSync, openSync, readSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { TesseraError } from '../../src/errors/error.js';
import type { Engine, Stored } from '../../src/storage/contract.js';
import { openEngine } from '../../src/storage/open/open.js';
import { equals } from '../../src/value/order.js';

const [, , sound = '', folder = ''] = process.argv;
const EVERYTHING = { from: '', to: '\xff'.repeat(2_000) };
const data = join(folder, 'data.mdb');

function place(): void {
  // The lock files stay, as they do when a disk damages a file.
  mkdirSync(folder, { recursive: true });
  cpSync(sound, data);
}

function damage(line: string): void {
  const [kind, first, second] = line.split(' ');
  if (kind === 'cut') {
    truncateSync(data, Number(first));
    return;
  }
  const descriptor = openSync(data, 'r+');
  const byte = Buffer.alloc(1);
  readSync(descriptor, byte, 0, 1, Number(first));
  byte[0] = (byte[0] as number) ^ Number(second);
  writeSync(descriptor, byte, 0, 1, Number(first));
}

function codeOf(error: unknown): string {
  return error instanceof TesseraError ? error.code : `thrown: ${error}`;
}

async function everything(engine: Engine): Promise<Map<string, Stored>> {
  const transaction = await engine.begin({ writable: false });
  const found = new Map<string, Stored>();
  const cursor = transaction.scan(EVERYTHING);
  for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next())
    for (const [key, value] of batch) found.set(key, value);
  transaction.cancel();
  return found;
}

/** What became of reading everything. */
async function outcome(expected: ReadonlyMap<string, Stored>): Promise<Set<string>> {
  const outcomes = new Set<string>();
  let engine: Engine;
  try {
    engine = await openEngine(folder, { sync: 'never', verifyUpTo: VERIFY_UP_TO });
  } catch (error) {
    return outcomes.add(codeOf(error));
  }
  const transaction = await engine.begin({ writable: false });
  for (const [key, value] of expected) {
    try {
      const found = await transaction.get(key);
      outcomes.add(found !== undefined && equals(found, value) ? 'right' : 'wrong');
    } catch (error) {
      outcomes.add(codeOf(error));
    }
  }
  transaction.cancel();
  try {
    const found = await everything(engine);
    for (const [key, value] of expected) {
      const other = found.get(key);
      outcomes.add(other !== undefined && equals(other, value) && found.size === expected.size ? 'right' : 'wrong');
    }
  } catch (error) {
    outcomes.add(codeOf(error));
  }
  await engine.close();
  return outcomes;
}

const VERIFY_UP_TO = 1 << 30;
place();
const whole = await openEngine(folder, { sync: 'never', verifyUpTo: VERIFY_UP_TO });
const expected = await everything(whole);
await whole.close();
writeSync(1, `read ${expected.size}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  place();
  damage(line);
  writeSync(1, `${line}: ${[...(await outcome(expected))].join(' ')}\n`);
}
