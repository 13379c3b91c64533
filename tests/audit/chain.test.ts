import { describe, expect, test } from 'vitest';
import { Chain, canonicalJson, readChainLink } from '../../src/audit/chain.js';
import type { AuditEvent } from '../../src/audit/event.js';
import { verifyAuditLog } from '../../src/audit/verify.js';

const KEY = new Uint8Array(32).fill(7);
const NOON = 1_800_000_000n * 1_000_000_000n;

function event(name: string): AuditEvent {
  return { action: 'define', outcome: 'ok', who: { kind: 'server' }, what: { kind: 'table', name, level: undefined } };
}

function chainOf(count: number, key?: Uint8Array): string[] {
  const chain = new Chain(key);
  return Array.from({ length: count }, (_, at) => chain.seal(event(`t${at}`), NOON + BigInt(at) * 1_000_000n));
}

describe('canonical JSON', () => {
  test('orders members, leaves out what is undefined, and has no white space', () => {
    expect(canonicalJson({ b: [1, 'x', true, null], a: { d: undefined, c: 'é"\n' } })).toBe(
      '{"a":{"c":"é\\"\\n"},"b":[1,"x",true,null]}',
    );
  });

  test('has no text for what is nested too deep', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(canonicalJson(deep)).toBeUndefined();
  });
});

describe('a chain', () => {
  test('numbers its records, and each carries the hash of the one before', () => {
    const [first, second] = chainOf(2).map((line) => JSON.parse(line));
    expect(first).toMatchObject({ sequence: 1, previous: '0'.repeat(64), at: '2027-01-15T08:00:00.000Z' });
    expect(second).toMatchObject({ sequence: 2, previous: first.hash, what: { name: 't1' } });
  });

  test('goes on where another has ended', async () => {
    const lines = chainOf(2);
    const last = readChainLink(lines[1] as string, undefined);
    if ('fault' in last) throw new TypeError(last.fault);
    lines.push(new Chain(undefined, last).seal(event('more'), NOON));
    expect(await verifyAuditLog(lines)).toMatchObject({ records: 3 });
  });

  test('cuts long texts, wherever they stand', () => {
    const long = 'x'.repeat(100_000);
    const line = new Chain(undefined).seal({ ...event(long), client: { ip: long, origin: long, id: long } }, NOON);
    expect(line.length).toBeLessThan(2_000);
    expect(readChainLink(line, undefined)).toMatchObject({ sequence: 1 });
  });

  test('keeps line breaks out of lines', () => {
    expect(new Chain(undefined).seal(event('a\nb\r\u2028'), NOON)).not.toMatch(/[\n\r]/);
  });
});

describe('verifying', () => {
  test('finds a whole chain whole', async () => {
    const lines = chainOf(50);
    const head = JSON.parse(lines[49] as string).hash;
    expect(await verifyAuditLog(lines)).toEqual({ records: 50, head });
    expect(await verifyAuditLog([])).toEqual({ records: 0, head: undefined });
  });

  const damages: readonly (readonly [string, (lines: string[]) => void, number])[] = [
    ['a word was changed', (lines) => (lines[4] = (lines[4] as string).replace('t4', 't9')), 5],
    ['a line was removed', (lines) => lines.splice(3, 1), 4],
    ['the first line was removed', (lines) => lines.shift(), 1],
    ['two lines were swapped', (lines) => lines.splice(2, 2, lines[3] as string, lines[2] as string), 3],
    ['a line stands twice', (lines) => lines.splice(6, 0, lines[5] as string), 7],
    [
      'a line of another chain was put in',
      (lines) => lines.splice(6, 0, new Chain(undefined).seal(event('x'), NOON)),
      7,
    ],
    ['white space was put in', (lines) => (lines[1] = (lines[1] as string).replace(',', ', ')), 2],
    ['a member stands twice', (lines) => (lines[1] = (lines[1] as string).replace('{', '{"action":"define",')), 2],
    ['the last line is cut', (lines) => (lines[9] = (lines[9] as string).slice(0, 40)), 10],
    ['a line is empty', (lines) => lines.splice(7, 0, ''), 8],
    ['a line is something else', (lines) => lines.splice(7, 0, '[]'), 8],
    ['a line is nested too deep', (lines) => lines.splice(7, 0, `{"a":${'['.repeat(1e5)}${']'.repeat(1e5)}}`), 8],
  ];
  test.each(damages)('says where: %s', async (_, damage, line) => {
    for (const key of [undefined, KEY]) {
      const lines = chainOf(10, key);
      damage(lines);
      expect(await verifyAuditLog(lines, { key })).toMatchObject({ records: line - 1, broken: { line } });
    }
  });

  test('wants the key that sealed the records', async () => {
    const lines = chainOf(3, KEY);
    expect(await verifyAuditLog(lines, { key: KEY })).toMatchObject({ records: 3 });
    for (const key of [undefined, new Uint8Array(32)]) {
      expect(await verifyAuditLog(lines, { key })).toMatchObject({ broken: { line: 1 } });
    }
    // A record that passes can't be made without the key.
    const last = readChainLink(lines[2] as string, KEY);
    if ('fault' in last) throw new TypeError(last.fault);
    const forged = new Chain(undefined, last).seal(event('forged'), NOON);
    expect(await verifyAuditLog([...lines, forged], { key: KEY })).toMatchObject({ broken: { line: 4 } });
  });

  test('misses what was cut off by a hash that was kept elsewhere', async () => {
    const lines = chainOf(5);
    const includes = JSON.parse(lines[3] as string).hash;
    expect(await verifyAuditLog(lines, { includes })).toMatchObject({ records: 5 });
    expect((await verifyAuditLog(lines, { includes })).broken).toBeUndefined();
    expect(await verifyAuditLog(lines.slice(0, 3), { includes })).toMatchObject({ records: 3, broken: { line: 4 } });
  });
});
