import type { AccessRun, Directory, IncarnationOf } from '../../src/auth/directory.js';
import { recordFrom } from '../../src/auth/kinds/clause-record.js';
import type { PromiseOrValue } from '../../src/base/promise-or-value.js';
import { Grants } from '../../src/catalog/credentials/grant.js';
import type { Incarnation } from '../../src/catalog/credentials/incarnation.js';
import type { IssuedCredential } from '../../src/catalog/credentials/revocation-list.js';
import type { AccessDefinition, UserDefinition } from '../../src/catalog/definitions/definition.js';
import type { DatabasePath, Principal } from '../../src/catalog/principal.js';
import type { Expression } from '../../src/language/ast.js';
import { MemoryEngine } from '../../src/storage/memory/memory.js';
import { withRetries } from '../../src/storage/retry.js';
import { toText } from '../../src/value/text/text.js';
import type { RecordId, Value } from '../../src/value/value.js';

export type Clause = (run: AccessRun) => Value | Promise<Value>;

/** A directory in memory. Clauses are functions, hidden behind params that name them. */
export class FakeDirectory implements Directory {
  readonly #users = new Map<string, UserDefinition>();
  readonly #accesses = new Map<string, AccessDefinition>();
  readonly #clauses = new Map<string, Clause>();
  readonly #engine = new MemoryEngine();
  readonly records = new Set<string>();
  /** Subjects, and ids of tokens. */
  readonly denied = new Set<string>();
  readonly runs: AccessRun[] = [];

  defineUser(user: UserDefinition, databasePath: DatabasePath = {}): void {
    this.#users.set(keyOf(databasePath, user.name), user);
  }

  removeUser(name: string, databasePath: DatabasePath = {}): void {
    this.#users.delete(keyOf(databasePath, name));
  }

  defineAccess(access: AccessDefinition, databasePath: DatabasePath): void {
    this.#accesses.set(keyOf(databasePath, access.name), access);
  }

  removeAccess(name: string, databasePath: DatabasePath): void {
    this.#accesses.delete(keyOf(databasePath, name));
  }

  endSignIn(_: Principal, { id }: { readonly id: string }): void {
    this.denied.add(id);
  }

  /** An expression that `evaluate` runs as `clause`. */
  clause(clause: Clause): Expression {
    const name = `clause${this.#clauses.size}`;
    this.#clauses.set(name, clause);
    return { kind: 'param', name };
  }

  user(databasePath: DatabasePath, name: string) {
    return this.#users.get(keyOf(databasePath, name));
  }

  replaceHash(databasePath: DatabasePath, name: string, former: string, hash: string) {
    const user = this.user(databasePath, name);
    if (user?.passhash === former) this.defineUser({ ...user, passhash: hash }, databasePath);
  }

  access(databasePath: DatabasePath, name: string) {
    return this.#accesses.get(keyOf(databasePath, name));
  }

  app(): never {
    throw new Error('ways need a real store');
  }

  openRequests(): never {
    return this.app();
  }

  systemRequests(): never {
    return this.app();
  }

  accesses(databasePath: DatabasePath) {
    return [...this.#accesses].flatMap(([key, access]) => (key === keyOf(databasePath, access.name) ? [access] : []));
  }

  /** No record here has a second factor. */
  proving(): undefined {
    return undefined;
  }

  grant(databasePath: DatabasePath, access: string, id: string) {
    return this.grants(databasePath, access, (grants) => grants.find(id));
  }

  grants<T>(
    databasePath: DatabasePath,
    access: string,
    work: (grants: Grants, incarnationOf: IncarnationOf, endSessions: () => void) => PromiseOrValue<T>,
  ) {
    return withRetries(this.#engine, (transaction) =>
      work(
        new Grants(transaction, 'D0000', access),
        (id) => this.incarnation(databasePath, id),
        () => undefined,
      ),
    );
  }

  async isFamilyRevoked(databasePath: DatabasePath, access: string, family: string) {
    return (await this.grants(databasePath, access, (grants) => grants.familyRevocation(family))) !== undefined;
  }

  isRevoked(databasePath: DatabasePath, what: () => IssuedCredential) {
    const { token, subject } = what();
    return (
      this.denied.has(keyOf(databasePath, subject)) ||
      (token !== undefined && this.denied.has(keyOf(databasePath, token)))
    );
  }

  record(databasePath: DatabasePath, id: RecordId) {
    const incarnation = this.incarnation(databasePath, id);
    return incarnation && { id, incarnation };
  }

  incarnation(databasePath: DatabasePath, id: RecordId): Incarnation | undefined {
    const exists = this.records.has(`${databasePath.namespace} ${databasePath.database} ${toText(id)}`);
    return exists ? { id: `the first ${toText(id)}`, since: undefined } : undefined;
  }

  async identify(expression: Expression, run: AccessRun) {
    const id = recordFrom(await this.evaluate(expression, run));
    return id && { id, incarnation: this.incarnation(run.databasePath, id) };
  }

  async evaluate(expression: Expression, run: AccessRun): Promise<Value> {
    this.runs.push(run);
    const clause = expression.kind === 'param' ? this.#clauses.get(expression.name) : undefined;
    if (clause === undefined) throw new Error('no such clause');
    return clause(run);
  }
}

function keyOf({ namespace, database }: DatabasePath, name: string): string {
  return JSON.stringify([namespace, database, name]);
}
