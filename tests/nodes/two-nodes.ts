/** Two nodes on one store in memory, with sessions. */
import { expect } from 'vitest';
import type { Notification, Session } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import type { DatabaseOptions } from '../../src/session/database/options.js';
import { toText } from '../../src/value/text/text.js';
import { newObject, objectFrom, Uuid, type Value } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';
import { type MemoryNode, SharedMemory } from '../support/shared-memory.js';

export const PEOPLE = `
  DEFINE TABLE user PERMISSIONS FULL;
  DEFINE ACCESS people ON DATABASE TYPE RECORD
    SIGNUP (CREATE type::record('user', $name)) SIGNIN (SELECT * FROM type::record('user', $name))`;

export interface TestNode {
  readonly engine: MemoryNode;
  readonly database: OpenDatabase;
  /** Selects `test`/`test`. */
  readonly owner: Session;
}

export interface TwoNodes {
  readonly environment: StubbedEnvironment;
  readonly store: SharedMemory;
  readonly a: TestNode;
  readonly b: TestNode;
}

export async function twoNodes(options: DatabaseOptions = {}): Promise<TwoNodes> {
  const environment = new StubbedEnvironment();
  environment.timers.yield = round;
  const store = new SharedMemory(environment);
  const open = async (): Promise<TestNode> => {
    const engine = store.node();
    const database = await openDatabase(engine, { environment, ...options });
    const owner = database.ownerSession();
    await owner.use('test', 'test');
    return { engine, database, owner };
  };
  return { environment, store, a: await open(), b: await open() };
}

export function round(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Waits until all nodes have done what follows from commits. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 60; turn++) await round();
}

export async function run(session: Session, text: string): Promise<Value[]> {
  const results = await session.query(text, newObject());
  return results.map(({ outcome }) => {
    if (!outcome.ok) throw outcome.error;
    return outcome.value;
  });
}

/** The code of the error with which a request fails. */
export async function failureOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
  return 'none';
}

/** A lasting session of a record user, whose notifications are kept. */
export async function signUp({ database }: TestNode, name: string, heard: string[] = []): Promise<Session> {
  const session = database.session({});
  session.listen((each) => void heard.push(shown(each)));
  await session.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name }));
  return session;
}

export async function signIn({ database }: TestNode, name: string, heard: string[] = []): Promise<Session> {
  const session = database.session({});
  session.listen((each) => void heard.push(shown(each)));
  await session.signIn(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name }));
  return session;
}

export function shown({ action, record, result, reason }: Notification): string {
  return [
    action,
    ...(record === undefined ? [] : [toText(record), toText(result)]),
    ...(reason ? [reason.code] : []),
  ].join(' ');
}

export async function live(session: Session, text: string): Promise<Uuid> {
  const id = (await run(session, text)).at(-1);
  expect(id).toBeInstanceOf(Uuid);
  return id as Uuid;
}
