/** A database with a signed-in user of every kind, for tests of what each may do. */
import type { TesseraError } from '../../src/errors/error.js';
import type { Session, StatementExecutor } from '../../src/session/contract.js';
import { type OpenDatabase, openDatabase } from '../../src/session/database/database.js';
import type { DatabaseOptions } from '../../src/session/database/options.js';
import type { Engine } from '../../src/storage/contract.js';
import { openEngine } from '../../src/storage/open/open.js';
import { toText } from '../../src/value/text/text.js';
import { type ObjectValue, objectFrom, type Value } from '../../src/value/value.js';

const LEVELS = { R: 'ROOT', N: 'NAMESPACE', D: 'DATABASE' } as const;
const ROLES = { O: 'OWNER', E: 'EDITOR', V: 'VIEWER' } as const;

/** R, N, D: the level. O, E, V: the role. */
export const SYSTEM_USERS = ['RO', 'RE', 'RV', 'NO', 'NE', 'NV', 'DO', 'DE', 'DV'] as const;
export type SystemUserName = (typeof SYSTEM_USERS)[number];
export const PRINCIPALS = [...SYSTEM_USERS, 'record', 'guest'] as const;
export type PrincipalName = (typeof PRINCIPALS)[number];

export const RECORD_ACCESS = `
  DEFINE TABLE user PERMISSIONS FOR select, update WHERE id = $auth;
  DEFINE ACCESS people ON DATABASE TYPE RECORD
    SIGNUP (CREATE type::record('user', $name) SET name = $name)
    SIGNIN (SELECT * FROM user WHERE name = $name);`;

/** Failed sign-ins are answered at once, since no test here is about their time. */
const QUICK: DatabaseOptions = { authentication: { failureDelay: { minimum: 0, step: 1 } }, guests: true };

export class World {
  readonly owner: Session;
  readonly #tokens = new WeakMap<Session, string>();

  private constructor(readonly database: OpenDatabase) {
    this.owner = database.ownerSession();
  }

  /** With `test` / `test` selected by the owner, and a RECORD access `people` in it. */
  static async open(options: DatabaseOptions = {}, engine?: Engine): Promise<World> {
    const world = new World(await openDatabase(engine ?? (await openEngine('memory')), { ...QUICK, ...options }));
    await world.owner.use('test', 'test');
    await run(world.owner, RECORD_ACCESS);
    return world;
  }

  guest(): Session {
    return this.database.session({});
  }

  /** A new record user. */
  async person(name: string): Promise<Session> {
    const session = this.guest();
    const { access } = await session.signUp(objectFrom({ NS: 'test', DB: 'test', AC: 'people', name }));
    this.#tokens.set(session, access);
    return session;
  }

  /** A new system user of the places that the owner has selected. */
  async systemUser(name: SystemUserName): Promise<Session> {
    const level = LEVELS[name[0] as keyof typeof LEVELS];
    const role = ROLES[name[1] as keyof typeof ROLES];
    await run(this.owner, `DEFINE USER ${name} ON ${level} PASSWORD '${name} has a password' ROLES ${role}`);
    const session = this.guest();
    const { access } = await session.signIn(
      objectFrom({
        user: name,
        pass: `${name} has a password`,
        ...(level !== 'ROOT' && { NS: 'test' }),
        ...(level === 'DATABASE' && { DB: 'test' }),
      }),
    );
    this.#tokens.set(session, access);
    await session.use('test', 'test');
    return session;
  }

  /** With which the person or system user of a session signs in elsewhere; none for guests. */
  tokenOf(session: Session): string | undefined {
    return this.#tokens.get(session);
  }

  /** All users; the record user is `user:rec`. */
  async everybody(): Promise<Readonly<Record<PrincipalName, Session>>> {
    const sessions: Partial<Record<PrincipalName, Session>> = { record: await this.person('rec'), guest: this.guest() };
    await sessions.guest?.use('test', 'test');
    for (const name of SYSTEM_USERS) sessions[name] = await this.systemUser(name);
    return sessions as Record<PrincipalName, Session>;
  }

  close(): Promise<void> {
    return this.database.close();
  }
}

/** The values of all statements; the first error is thrown. */
export async function run(session: StatementExecutor, text: string, variables?: ObjectValue): Promise<Value[]> {
  const results = await session.query(text, variables);
  return results.map(({ outcome }) => {
    if (outcome.ok) return outcome.value;
    throw outcome.error;
  });
}

/** The value of the last statement as text, or its error's code and text; also when the whole request failed. */
export async function answer(session: StatementExecutor, text: string, variables?: ObjectValue): Promise<string> {
  try {
    const { outcome } = (await session.query(text, variables)).at(-1) ?? {};
    if (outcome === undefined) return 'nothing';
    return outcome.ok ? toText(outcome.value) : errorText(outcome.error);
  } catch (error) {
    return errorText(error as TesseraError);
  }
}

/** All answers of a request as one text, in which nothing secret must be found. */
export async function answers(session: StatementExecutor, text: string, variables?: ObjectValue): Promise<string> {
  try {
    const results = await session.query(text, variables);
    return results.map(({ outcome }) => (outcome.ok ? toText(outcome.value) : errorText(outcome.error))).join('\n');
  } catch (error) {
    return errorText(error as TesseraError);
  }
}

function errorText({ code, message, details }: TesseraError): string {
  return `${code}: ${message} ${JSON.stringify(details ?? null)}`;
}
