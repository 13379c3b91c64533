/** Records the events of one session in the audit log. */
import type { AuditLog } from '../../audit/audit-log.js';
import type { AuditAction, AuditActor, AuditDetails, AuditOutcome } from '../../audit/event.js';
import type { Authenticated } from '../../auth/authenticator.js';
import type { IssuedTokens } from '../../auth/context.js';
import type { Credentials, StartTarget } from '../../auth/credentials.js';
import type { ClientOrigin, SessionIdentity } from '../../auth/identity.js';
import { andThen, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { readGrantKey } from '../../catalog/credentials/grant.js';
import type { DatabasePath, Principal } from '../../catalog/principal.js';
import { asTesseraError, TesseraError } from '../../errors/error.js';
import type { AuditRecorder } from '../../runtime/audit-recorder.js';
import type { Transaction } from '../../storage/contract.js';
import { toText } from '../../value/text/text.js';
import { isObject } from '../../value/value.js';
import { AuditBuffer } from './audit-buffer.js';

/** What an auditor needs to know about its session. */
export interface AuditedSession {
  /** Absent for work done on behalf of a user without a session, such as an asynchronous event. */
  readonly key: string | undefined;
  readonly identity: SessionIdentity;
}

/** An attempt to sign in, sign up or refresh. */
export interface AuthenticationAttempt {
  readonly action: 'sign-in' | 'sign-up' | 'token-refresh';
  readonly method: 'credentials' | 'basic' | 'token' | 'refresh-token' | 'page';
  /** The claimed identity: names only, no proof. Called only when the attempt has failed. */
  readonly as?: (() => AuditDetails | undefined) | undefined;
}

interface Details {
  readonly error?: TesseraError | undefined;
  readonly what?: AuditDetails | undefined;
  /** The acting identity. Default: that of the session. */
  readonly identity?: SessionIdentity;
  readonly databasePath?: DatabasePath;
}

/** Why a session or a view has ended. */
type EndReason = 'closed' | 'invalidated' | 'reset' | 'expired' | 'replaced' | 'ended';

export class Auditor {
  readonly #log: AuditLog;
  readonly #origin: ClientOrigin;
  readonly #session: AuditedSession;
  /** The signed-in identity, until its `session-end` event is recorded. */
  #signedIn: SessionIdentity | undefined;
  /** The identity that a view shows, until its `view-end` event is recorded. */
  #viewed: SessionIdentity | undefined;
  /** Actions buffered for transactions that clients hold. */
  readonly #held = new WeakMap<Transaction, AuditBuffer[]>();

  constructor(log: AuditLog, origin: ClientOrigin, session: AuditedSession) {
    this.#log = log;
    this.#origin = origin;
    this.#session = session;
    if (session.identity.principal.kind !== 'guest') this.#signedIn = session.identity;
  }

  /** Resolves when the log can take further events; awaited before a request is accepted. */
  room(): PromiseOrValue<void> {
    return this.#log.room();
  }

  /** Runs an authentication attempt and records its outcome. */
  trying<T extends Authenticated & { readonly tokens?: IssuedTokens }>(
    { action, method, as }: AuthenticationAttempt,
    work: () => PromiseOrValue<T>,
  ): PromiseOrValue<T> {
    return otherwise<T>(
      async () => {
        const found = await andThen(this.room(), work);
        const { identity, tokens } = found;
        const token = tokenOf(identity);
        this.ended('replaced');
        this.#signedIn = identity;
        this.#record(action, 'ok', { identity, what: { method, token: token.id } });
        if (tokens !== undefined) {
          this.#record('token-issue', 'ok', { identity, what: { token, grant: grantOf(tokens.refresh) } });
        }
        return found;
      },
      (error) => this.#failed({ action, method, as }, error),
    );
  }

  /** Runs an attempt at the page of the server, which only fails here: it is its app that signs in. */
  handingOver(attempt: AuthenticationAttempt, work: () => Promise<string>): PromiseOrValue<string> {
    return otherwise<string>(
      () => andThen(this.room(), work),
      (error) => this.#failed(attempt, error),
    );
  }

  #failed({ action, method, as }: AuthenticationAttempt, error: unknown): never {
    const known = asTesseraError(error);
    this.#record(action, 'failed', { error: known, what: { method, as: as?.(), cause: causeOf(known) } });
    throw error;
  }

  /** Begins a request to sign in and records the outcome: for which access method, never for whom. */
  async starting<T>({ databasePath, access }: StartTarget, work: () => Promise<T>): Promise<T> {
    await this.room();
    const what = { as: { ...databasePath, access } };
    try {
      const started = await work();
      this.#record('sign-in-start', 'ok', { what });
      return started;
    } catch (error) {
      this.#record('sign-in-start', 'failed', { error: asTesseraError(error), what });
      throw error;
    }
  }

  /** Revokes a refresh token and records the outcome. */
  async revoking(refresh: string, work: () => Promise<void>): Promise<void> {
    const what = { grant: grantOf(refresh) };
    try {
      await work();
    } catch (error) {
      this.#record('token-revoke', 'failed', { error: asTesseraError(error), what });
      throw error;
    }
    this.#record('token-revoke', 'ok', { what });
  }

  /** Begins a view and records the outcome. `what`: names of the user to be shown. */
  async viewing(what: AuditDetails, work: () => Promise<SessionIdentity>): Promise<SessionIdentity> {
    try {
      const identity = await work();
      this.#viewed = identity;
      this.#record('view-begin', 'ok', { identity });
      return identity;
    } catch (thrown) {
      const error = asTesseraError(thrown);
      this.#record('view-begin', outcomeOf(error, false), { error, what });
      throw error;
    }
  }

  /** A view has ended. */
  viewEnded(reason: EndReason): void {
    const identity = this.#viewed;
    if (identity === undefined) return;
    this.#viewed = undefined;
    this.#record('view-end', 'ok', { identity, what: { reason } });
  }

  /** The principal has left the session, and its view; recorded once for each sign-in. */
  ended(reason: EndReason): void {
    this.viewEnded(reason);
    const identity = this.#signedIn;
    if (identity === undefined) return;
    this.#signedIn = undefined;
    this.#record('session-end', 'ok', { identity, what: { reason } });
  }

  /** A whole request was denied. */
  refused(error: TesseraError): void {
    this.#record('refuse', 'denied', { error, what: refusingRule(error) });
  }

  /** A database was exported or imported, perhaps partly before an error. */
  transferred(action: 'export' | 'import', error: TesseraError | undefined, what: AuditDetails): void {
    this.#record(action, outcomeOf(error, true), { error, what });
  }

  /** Runs work that changes definitions in its own transaction, and records the changes. */
  defining<T>(work: (auditRecorder: AuditRecorder) => PromiseOrValue<T>): PromiseOrValue<T> {
    return this.attempting((auditRecorder) => work(auditRecorder()));
  }

  /** Like `defining`, with a fresh buffer for each attempt at the transaction; only the last attempt is recorded. */
  attempting<T>(work: (auditRecorder: () => AuditRecorder) => PromiseOrValue<T>): PromiseOrValue<T> {
    let buffer = new AuditBuffer();
    const begin = (): AuditRecorder => {
      buffer = new AuditBuffer();
      return buffer;
    };
    return otherwise(
      () =>
        andThen(work(begin), (result) => {
          this.#acts(buffer, true);
          return result;
        }),
      (error) => {
        this.#acts(buffer, false);
        throw error;
      },
    );
  }

  /**
   * A statement or block has ended, with or without an error. `kind` is that of the statement which raised the error.
   * Actions in a held transaction are recorded when that transaction ends.
   */
  statement(
    {
      kind,
      error,
      identity,
    }: { readonly kind: string; readonly error: TesseraError | undefined; readonly identity: SessionIdentity },
    buffer: AuditBuffer,
    held: Transaction | undefined,
  ): void {
    for (const { refusal, count } of buffer.refusals()) {
      this.#record('refuse', 'denied', {
        identity,
        what: { write: refusal.action, table: refusal.table, field: refusal.field, count },
      });
    }
    if (error?.kind === 'NotAllowed' && error.code !== 'write_refused' && !buffer.hasRecorded(error)) {
      this.#record('refuse', 'denied', { identity, error, what: { statement: kind, ...refusingRule(error) } });
    }
    if (held === undefined || error !== undefined) this.#acts(buffer, error === undefined);
    else if (buffer.acts.length > 0) this.#held.set(held, [...(this.#held.get(held) ?? []), buffer]);
  }

  /** A held transaction has been committed or cancelled. */
  settled(held: Transaction, isCommitted: boolean): void {
    for (const buffer of this.#held.get(held) ?? []) this.#acts(buffer, isCommitted);
    this.#held.delete(held);
  }

  #acts({ acts, dropped }: AuditBuffer, isCommitted: boolean): void {
    for (const { act, error } of acts) {
      const { action, databasePath, subject: what } = act;
      this.#record(action, outcomeOf(error, isCommitted), { error, databasePath, what });
    }
    this.#log.lose(dropped);
  }

  #record(action: AuditAction, outcome: AuditOutcome, details: Details): void {
    const { key, identity: present } = this.#session;
    const { error, what, identity = present, databasePath = identity.databasePath } = details;
    const { ip, origin, id } = this.#origin;
    this.#log.record({
      action,
      outcome,
      error: error?.code,
      who: actorOf(identity.viewer ?? identity.principal),
      as: identity.viewer && actorOf(identity.principal),
      client: ip === undefined && origin === undefined && id === undefined ? undefined : { ip, origin, id },
      session: key,
      place:
        databasePath.namespace === undefined
          ? undefined
          : { namespace: databasePath.namespace, database: databasePath.database },
      what,
    });
  }
}

/** The identity that a body of credentials claims; `undefined` if the body is malformed. */
export function claimedIdentity(read: () => Credentials): AuditDetails | undefined {
  try {
    const credentials = read();
    const { namespace, database } = credentials.databasePath;
    return credentials.kind === 'system'
      ? { namespace, database, user: credentials.user }
      : { namespace, database, access: credentials.access };
  } catch {
    return undefined;
  }
}

/** The rule of a bucket that has refused something. */
function refusingRule({ code, details }: TesseraError): AuditDetails | undefined {
  if (code !== 'file_denied' || details?.details === undefined) return undefined;
  return details.details as AuditDetails;
}

function outcomeOf(error: TesseraError | undefined, isCommitted: boolean): AuditOutcome {
  if (error === undefined) return isCommitted ? 'ok' : 'undone';
  return error.kind === 'NotAllowed' ? 'denied' : 'failed';
}

const SHOWN_CAUSES: ReadonlySet<string> = new Set(['passkey_refused', 'passkey_counter_back']);

/** Why a passkey was refused, which its client doesn't learn. Texts of other causes may hold what users sent. */
function causeOf({ cause }: TesseraError): string | undefined {
  return cause instanceof TesseraError && SHOWN_CAUSES.has(cause.code) ? cause.message : undefined;
}

/** Identifies a token without revealing it. */
function tokenOf({ token }: SessionIdentity): { readonly id?: string; readonly expires?: number } {
  if (!isObject(token)) return {};
  const { jti, exp } = token;
  return { ...(typeof jti === 'string' && { id: jti }), ...(typeof exp === 'number' && { expires: exp }) };
}

function grantOf(refresh: string | undefined): string | undefined {
  return refresh === undefined ? undefined : readGrantKey('refresh', refresh)?.id;
}

function actorOf(principal: Principal): AuditActor {
  switch (principal.kind) {
    case 'guest':
      return { kind: 'guest' };
    case 'record':
      return { ...principal, id: toText(principal.id) };
    case 'system':
      return principal;
  }
}
