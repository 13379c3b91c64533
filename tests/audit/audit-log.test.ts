import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AuditLog } from '../../src/audit/audit-log.js';
import type { AuditEvent } from '../../src/audit/event.js';
import type { AuditSink } from '../../src/audit/sink.js';
import { verifyAuditLog } from '../../src/audit/verify.js';
import type { TesseraError } from '../../src/errors/error.js';
import { StubbedEnvironment } from '../support/environment.js';

const event = (name: string): AuditEvent => ({
  action: 'define',
  outcome: 'ok',
  who: { kind: 'guest' },
  what: { name },
});

/** A sink that fails or waits as the test sets it. */
class TestSink implements AuditSink {
  lines: string[] = [];
  writes = 0;
  isFull = false;
  gate: Promise<void> | undefined;

  async write(lines: readonly string[]): Promise<void> {
    this.writes++;
    await this.gate;
    if (this.isFull) throw new RangeError('no space left');
    this.lines.push(...lines);
  }
}

let environment: StubbedEnvironment;
let sink: TestSink;
let reports: TesseraError[];
beforeEach(() => {
  environment = new StubbedEnvironment();
  sink = new TestSink();
  reports = [];
});
const logs: AuditLog[] = [];
afterEach(async () => {
  await Promise.all(logs.splice(0).map((log) => log.close()));
});

async function open(key?: Uint8Array): Promise<AuditLog> {
  const log = await AuditLog.open({ sink, ...(key && { key }) }, environment, (error) => reports.push(error));
  logs.push(log);
  return log;
}

/** Lets everything that waits for nothing but its turn go on. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
}

const told = () => sink.lines.map((line) => JSON.parse(line)).map(({ action, what }) => what?.name ?? action);

describe('an audit log', () => {
  test('writes events in their order, between a start and a stop', async () => {
    const log = await open();
    for (const name of ['a', 'b', 'c']) log.record(event(name));
    await log.close();
    expect(told()).toEqual(['audit-start', 'a', 'b', 'c', 'audit-stop']);
    expect(await verifyAuditLog(sink.lines)).toMatchObject({ records: 5 });
  });

  test('writes what happens at the same time at once', async () => {
    const log = await open();
    await settle();
    const before = sink.writes;
    for (let at = 0; at < 500; at++) log.record(event(`e${at}`));
    await settle();
    expect(sink.lines).toHaveLength(501);
    expect(sink.writes - before).toBe(1);
  });

  test('goes on with the chain of its sink, and says what a crash has torn', async () => {
    const first = await open();
    first.record(event('a'));
    await first.close();
    const line = sink.lines.at(-1);
    const second = await AuditLog.open(
      { sink: { resume: () => ({ line, torn: 17 }), write: (lines) => sink.write(lines) } },
      environment,
      () => undefined,
    );
    await second.close();
    expect(await verifyAuditLog(sink.lines)).toMatchObject({ records: 5 });
    expect(JSON.parse(sink.lines[3] as string)).toMatchObject({ action: 'audit-start', what: { tornBytes: 17 } });
  });

  test('names the node in each record where several use the store', async () => {
    const log = await AuditLog.open({ sink }, environment, () => undefined, '00000000000000ab');
    log.record(event('a'));
    await log.close();
    expect(sink.lines.map((line) => JSON.parse(line).node)).toEqual(Array(3).fill('00000000000000ab'));
    expect(await verifyAuditLog(sink.lines)).toMatchObject({ records: 3 });
  });

  test('is not opened on a log whose last record was changed, or has another key', async () => {
    const log = await open(new Uint8Array(32));
    await log.close();
    const line = sink.lines.at(-1) as string;
    for (const [last, key] of [
      [line.replace('stop', 'spot'), new Uint8Array(32)],
      [line, new Uint8Array(32).fill(1)],
      ['hello', new Uint8Array(32)],
    ] as const) {
      const resumed = { sink: { resume: () => ({ line: last, torn: 0 }), write: () => undefined }, key };
      const opened = AuditLog.open(resumed, environment, () => undefined);
      await expect(opened).rejects.toMatchObject({ code: 'audit_log_unusable' });
    }
  });

  test('tries again what could not be written, and loses nothing of it', async () => {
    const log = await open();
    await settle();
    sink.isFull = true;
    log.record(event('a'));
    await settle();
    log.record(event('b'));
    expect(reports.map(({ message }) => message)).toEqual(['The audit log cannot be used: no space left']);
    environment.advance(1_000);
    await settle();
    expect(reports).toHaveLength(1);
    sink.isFull = false;
    environment.advance(1_000);
    await settle();
    expect(told()).toEqual(['audit-start', 'a', 'b']);
    expect(await verifyAuditLog(sink.lines)).toMatchObject({ records: 3 });
  });

  test('has requests wait when it falls behind, for a second at most', async () => {
    let release: () => void = () => undefined;
    sink.gate = new Promise((resolve) => {
      release = resolve;
    });
    const log = await open();
    await settle();
    for (let at = 0; at < 4_999; at++) log.record(event('x'));
    expect(log.room()).toBeUndefined();
    for (let at = 0; at < 2_000; at++) log.record(event('x'));
    let isOver = false;
    const waited = Promise.resolve(log.room()).then(() => {
      isOver = true;
    });
    await settle();
    expect(isOver).toBe(false);
    environment.advance(1_000);
    await waited;
    const second = Promise.resolve(log.room());
    release();
    sink.gate = undefined;
    await second;
    expect(await log.room()).toBeUndefined();
  });

  test('keeps no more than a bounded number of events, and says how many it has lost', async () => {
    let release: () => void = () => undefined;
    sink.gate = new Promise((resolve) => {
      release = resolve;
    });
    const log = await open();
    await settle();
    for (let at = 0; at < 10_250; at++) log.record(event('x'));
    release();
    sink.gate = undefined;
    await log.close();
    const lost = sink.lines.map((line) => JSON.parse(line)).filter(({ action }) => action === 'audit-lost');
    // The stop was one too many as well.
    expect(lost.map(({ what }) => what.events).reduce((sum, count) => sum + count, 0)).toBe(251);
    expect(await verifyAuditLog(sink.lines)).toMatchObject({ records: sink.lines.length });
  });

  test('closes although its sink fails permanently', async () => {
    const log = await open();
    await settle();
    sink.isFull = true;
    log.record(event('a'));
    await settle();
    await log.close();
    expect(reports).not.toEqual([]);
    log.record(event('late'));
    expect(told()).toEqual(['audit-start']);
  });
});
