/** Asynchronous events that failed after their last retry: kept, listed, run again and discarded. */
import { beforeEach, expect, test } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { toText } from '../../src/value/text/text.js';
import { StubbedEnvironment } from '../support/environment.js';

const ROUND = 5_000;
let environment: StubbedEnvironment;
let engine: MemoryEngine;
let database: OpenDatabase;
let session: Session;
beforeEach(async () => {
  environment = new StubbedEnvironment();
  engine = new MemoryEngine(environment);
  await open();
  await answers(`DEFINE TABLE t; CREATE closed:1 SET yes = true;
    DEFINE EVENT e ON t ASYNC RETRY 1 THEN { IF closed:1.yes { THROW 'closed to ' + <string> $after.id }; CREATE log SET n = $after.n }`);
});

async function open(): Promise<void> {
  database = await openDatabase(engine, { environment, report: () => undefined });
  session = database.ownerSession();
  await session.use('test', 'test');
}

/** The last answer of a text, as text. */
async function answers(text: string): Promise<string> {
  const { outcome } = (await session.query(text)).at(-1) ?? {};
  if (outcome === undefined) return '';
  return outcome.ok ? toText(outcome.value) : outcome.error.message;
}

/** Lets the rounds come in which events are run and retried. */
async function pass(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    environment.advance(ROUND);
    for (let turn = 0; turn < 2_000; turn++) await Promise.resolve();
  }
}

const LISTED = '(INFO FOR EVENTS).map(|$e| [$e.id, $e.record, $e.attempts, $e.error])';

test('are listed with the record, the error and the attempts, and outlive a restart', async () => {
  expect(await answers('INFO FOR EVENTS')).toBe('[]');
  await answers('CREATE t:1 SET n = 1; CREATE t:2 SET n = 2');
  await pass();
  const error = (id: string) => `Error while processing event e: An error occurred: closed to ${id}`;
  const expected = `[[2, t:2, 2, '${error('t:2')}'], [1, t:1, 2, '${error('t:1')}']]`;
  expect(await answers(LISTED)).toBe(expected);
  expect(await answers('(INFO FOR EVENTS)[0].{ action, event, retryable, table }')).toBe(
    "{ action: 'CREATE', event: 'e', retryable: true, table: 't' }",
  );
  expect(await answers('object::keys((INFO FOR EVENTS)[0])')).not.toContain('after');
  environment.forgetTimers();
  await open();
  expect(await answers(LISTED)).toBe(expected);
});

test('run again as they were raised, and are kept again when they fail', async () => {
  await answers('CREATE t:1 SET n = 1; CREATE t:2 SET n = 2; CREATE t:3 SET n = 3; UPDATE t:3 SET n = 30');
  await pass();
  await answers('RETRY EVENT 1');
  expect(await answers('(INFO FOR EVENTS).id')).toBe('[4, 3, 2]');
  await pass();
  expect(await answers('(INFO FOR EVENTS).id')).toBe('[5, 4, 3, 2]');
  await answers('UPDATE closed:1 SET yes = false; LET $id = 5; RETRY EVENT $id');
  await pass();
  expect(await answers('SELECT VALUE n FROM log')).toBe('[1]');
  await answers('RETRY EVENTS');
  await pass();
  expect(await answers('SELECT VALUE n FROM log ORDER BY n')).toBe('[1, 2, 3, 30]');
  expect(await answers('INFO FOR EVENTS')).toBe('[]');
});

test('are discarded, and a transaction that is cancelled leaves them', async () => {
  await answers('CREATE t:1; CREATE t:2; CREATE t:3');
  await pass();
  await answers('BEGIN; KILL EVENTS; CANCEL');
  await answers('BEGIN; RETRY EVENT 1; CANCEL');
  expect(await answers('(INFO FOR EVENTS).id')).toBe('[3, 2, 1]');
  await answers('KILL EVENT 2');
  expect(await answers('KILL EVENT 2')).toBe('There is no event 2 that failed');
  expect(await answers("RETRY EVENT 'x'")).toBe("There is no event 'x' that failed");
  expect(await answers('(INFO FOR EVENTS).id')).toBe('[3, 1]');
  await answers('KILL EVENTS');
  await pass();
  expect(await answers('INFO FOR EVENTS')).toBe('[]');
});

test('are the last five hundred, without records that are too large', async () => {
  await answers('FOR $n IN 0..600 { CREATE t SET n = $n }; CREATE t:big SET text = string::repeat("x", 100_000)');
  for (let round = 0; round < 4; round++) await pass();
  expect(await answers('array::len(INFO FOR EVENTS)')).toBe('500');
  expect(await answers('(INFO FOR EVENTS)[0].{ id, record, retryable }')).toBe(
    '{ id: 601, record: t:big, retryable: false }',
  );
  expect(await answers('RETRY EVENT 601')).toBe(
    "The event 601 can't be run again: its records were too large to be kept",
  );
  expect(await answers('RETRY EVENT 101')).toBe('There is no event 101 that failed');
  await answers('UPDATE closed:1 SET yes = false; RETRY EVENTS');
  for (let round = 0; round < 4; round++) await pass();
  expect(await answers('(INFO FOR EVENTS).id')).toBe('[601]');
  expect(await answers('count(SELECT * FROM log)')).toBe('499');
});

test('are those that were raised too deep, too', async () => {
  await answers('DEFINE TABLE deep; DEFINE EVENT e ON deep ASYNC MAXDEPTH 1 THEN { CREATE deep }; CREATE deep:1');
  for (let round = 0; round < 3; round++) await pass();
  expect(await answers('(INFO FOR EVENTS).map(|$e| [$e.attempts, $e.error])')).toBe("[[0, 'MAXDEPTH 1 is reached']]");
});

test('go with their database', async () => {
  await answers('CREATE t:1');
  await pass();
  await answers('REMOVE DATABASE test; DEFINE DATABASE test');
  expect(await answers('INFO FOR EVENTS')).toBe('[]');
});
