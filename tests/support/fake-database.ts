/** A database that runs nothing: it writes down what a session is asked for and answers what the test says. */

import type { Identity } from '../../src/catalog/principal.js';
import { realEnvironment } from '../../src/env/real.js';
import { failure } from '../../src/errors/error.js';
import type { Statement } from '../../src/language/ast.js';
import type {
  CatalogSnapshot,
  Database,
  HeldTransaction,
  IssuedTokens,
  NotificationSink,
  Origin,
  Session,
  StatementExecutor,
  StatementResult,
} from '../../src/session/contract.js';
import { ClientConnection } from '../../src/session/resources/client-connection.js';
import { ServerMemory } from '../../src/session/resources/server-memory.js';
import { SessionMemory } from '../../src/session/resources/session-memory.js';
import type { Variable } from '../../src/session/resources/session-variables.js';
import { newObject, type ObjectValue, type Value } from '../../src/value/value.js';

export class FakeSession implements Session {
  readonly key = 'fake';
  readonly variables = new Map<string, Variable>();
  closed = false;
  revalidated = 0;
  namespace: string | undefined;
  database: string | undefined;
  principal: Identity['principal'] = { kind: 'guest' };

  readonly connection: ClientConnection;
  readonly memory: SessionMemory;

  constructor(
    readonly owner: FakeDatabase,
    readonly origin: Origin,
  ) {
    this.connection = new ClientConnection(owner.memory.connection());
    this.memory = new SessionMemory(this.connection.memory, this.principal);
  }

  get identity(): Identity {
    return {
      principal: this.principal,
      databasePath: { namespace: this.namespace, database: this.database },
      session: newObject(),
      token: undefined,
      auth: undefined,
      access: undefined,
    };
  }

  get account(): string | undefined {
    return this.principal.kind === 'system' ? this.principal.name : undefined;
  }

  async query(text: string, variables?: ObjectValue): Promise<StatementResult[]> {
    this.owner.queries.push({ session: this, text, variables });
    return this.owner.onQuery(text, variables, this);
  }

  async execute(statements: readonly Statement[], variables?: ObjectValue): Promise<StatementResult[]> {
    this.owner.executed.push({ session: this, statements, variables });
    return statements.map((statement) => this.owner.onExecute(statement, variables));
  }

  async begin(): Promise<HeldTransaction> {
    throw failure('transaction_missing');
  }

  readonly durable = undefined;

  get pipelined(): StatementExecutor {
    return this;
  }

  deadline(): undefined {}

  async *export(): AsyncGenerator<string> {
    yield 'OPTION IMPORT;';
  }

  async import(): Promise<void> {}

  async openFile(): Promise<undefined> {}

  async uploadFile(): Promise<never> {
    throw failure('bucket_missing', { name: 'none' });
  }

  async enterByLink(): Promise<never> {
    throw failure('file_link');
  }

  async beginUpload(): Promise<never> {
    throw failure('bucket_missing', { name: 'none' });
  }

  async resumeUpload(): Promise<never> {
    throw failure('bucket_missing', { name: 'none' });
  }

  transaction(): HeldTransaction {
    throw failure('transaction_missing');
  }

  async use(namespace: string | null | undefined, database: string | null | undefined) {
    if (namespace !== undefined) this.namespace = namespace ?? undefined;
    if (database !== undefined) this.database = database ?? undefined;
    return { namespace: this.namespace, database: this.database };
  }

  async signIn(body: ObjectValue): Promise<IssuedTokens> {
    if (body.pass !== 'secret') throw failure('invalid_auth');
    this.principal = { kind: 'system', level: 'root', name: String(body.user), roles: ['owner'] };
    return body.refreshable === true ? { access: 'a.b.c', refresh: 'refresh' } : { access: 'a.b.c' };
  }

  signUp(body: ObjectValue): Promise<IssuedTokens> {
    return this.signIn(body);
  }

  async startSignIn() {
    return { request: 'request', expires: 0n };
  }

  async signInAtPage(): Promise<never> {
    throw failure('invalid_auth');
  }

  async refresh({ refresh }: { readonly refresh: string }): Promise<IssuedTokens> {
    if (refresh !== 'refresh') throw failure('invalid_auth');
    return { access: 'a.b.c', refresh: 'refresh' };
  }

  async revoke({ refresh }: { readonly refresh: string }): Promise<void> {
    if (refresh !== 'refresh') throw failure('invalid_auth');
  }

  async signOut(): Promise<void> {
    this.invalidate();
  }

  async authenticate(token: string): Promise<void> {
    if (token !== 'a.b.c') throw failure('invalid_auth');
    this.principal = { kind: 'system', level: 'root', name: 'token', roles: ['owner'] };
  }

  async authenticateBasic(
    user: string,
    password: string,
    level: { namespace?: string; database?: string },
  ): Promise<void> {
    if (password !== 'secret') throw failure('invalid_auth');
    this.owner.levels.push(level);
    this.principal = { kind: 'system', level: 'root', name: user, roles: ['owner'] };
  }

  async viewAs(): Promise<void> {}

  invalidate(): void {
    this.principal = { kind: 'guest' };
  }

  reset(): void {
    this.invalidate();
    this.namespace = undefined;
    this.database = undefined;
    this.variables.clear();
  }

  /** Takes what live queries see. */
  sink: NotificationSink | undefined;

  endLive(): boolean {
    return false;
  }

  listen(sink: NotificationSink): void {
    this.sink = sink;
  }

  setVariable(name: string, value: Value): void {
    this.variables.set(name, { value, weight: 0 });
  }

  unsetVariable(name: string): void {
    this.variables.delete(name);
  }

  readonly isAdmitted = true;

  async followResult(): Promise<never> {
    throw failure('realtime_unavailable');
  }

  async catalogSnapshot(): Promise<CatalogSnapshot> {
    const hold = () => {
      throw failure('too_many_transactions', { limit: 0, of: 'server' });
    };
    return { catalog: undefined, execute: () => [], hold, release: () => undefined };
  }

  async revalidate(): Promise<void> {
    this.revalidated++;
  }

  close(): void {
    this.closed = true;
  }
}

export class FakeDatabase implements Database {
  readonly memory = new ServerMemory(realEnvironment, { ownsRows: false });
  readonly sessions: FakeSession[] = [];
  readonly queries: { session: FakeSession; text: string; variables: ObjectValue | undefined }[] = [];
  readonly executed: { session: FakeSession; statements: readonly Statement[]; variables: ObjectValue | undefined }[] =
    [];
  readonly levels: { namespace?: string; database?: string }[] = [];
  healthy = true;
  /** It knows what other nodes do. */
  current = true;
  onQuery: (
    text: string,
    variables: ObjectValue | undefined,
    session: FakeSession,
  ) => StatementResult[] | Promise<StatementResult[]> = () => [];
  onExecute: (statement: Statement, variables: ObjectValue | undefined) => StatementResult = () => succeeded(undefined);

  session(origin: Origin): FakeSession {
    const session = new FakeSession(this, origin);
    this.sessions.push(session);
    return session;
  }

  publishedKeys() {
    return [];
  }

  async confirmLink(): Promise<never> {
    throw failure('invalid_auth');
  }

  async returnFromProvider(): Promise<never> {
    throw failure('invalid_auth');
  }

  async providerAccesses() {
    return [];
  }

  async waysIn() {
    return [];
  }

  app() {
    return { name: 'app', config: undefined, redirects: [], mailsAnHour: 1 };
  }

  ownerSession(): FakeSession {
    const session = this.session({});
    session.principal = { kind: 'system', level: 'root', name: 'owner', roles: ['owner'] };
    return session;
  }

  async check(): Promise<void> {
    if (!this.healthy) throw failure('storage_unavailable', { reason: 'the test says so' });
  }

  async checkReady(): Promise<void> {
    await this.check();
    if (!this.current) throw failure('storage_unavailable', { reason: 'the test says so' });
  }

  async close(): Promise<void> {}
}

export function succeeded(value: Value, time = 1_500n): StatementResult {
  return { time, outcome: { ok: true, value } };
}
