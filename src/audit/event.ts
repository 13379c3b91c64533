/** What the audit log tells of: who did what, where from, and how it ended. */

/** Plain data; members that are `undefined` aren't there. */
export type AuditValue = string | number | boolean | readonly AuditValue[] | AuditDetails;
export interface AuditDetails {
  readonly [name: string]: AuditValue | undefined;
}

export type AuditAction =
  // Sessions.
  | 'sign-in'
  | 'sign-up'
  | 'session-end'
  | 'session-kill'
  // Tokens and grants.
  | 'token-issue'
  | 'token-refresh'
  | 'token-revoke'
  | 'grant-issue'
  | 'grant-revoke'
  | 'grant-purge'
  // Definitions.
  | 'define'
  | 'alter'
  | 'remove'
  // Whole databases.
  | 'export'
  | 'import'
  /** A request, a statement or a write that was refused. */
  | 'refuse'
  // The log itself.
  | 'audit-start'
  | 'audit-lost'
  | 'audit-stop';

/** `undone`: it succeeded, but its transaction was not committed. */
export type AuditOutcome = 'ok' | 'failed' | 'denied' | 'undone';

/** One thing that happened. It holds no passwords, tokens, keys or values of queries: whoever makes it leaves them out. */
export interface AuditEvent {
  readonly action: AuditAction;
  readonly outcome: AuditOutcome;
  /** The code of the error. */
  readonly error?: string | undefined;
  readonly who: AuditActor;
  /** Where the request came from; nothing in process. */
  readonly client?:
    | { readonly ip: string | undefined; readonly origin: string | undefined; readonly id: string | undefined }
    | undefined;
  readonly session?: string | undefined;
  /** What was selected. */
  readonly place?: { readonly namespace?: string | undefined; readonly database?: string | undefined } | undefined;
  readonly what?: AuditDetails | undefined;
}

export type AuditActor =
  /** The server itself. */
  | { readonly kind: 'server' }
  | { readonly kind: 'guest' }
  | {
      readonly kind: 'system';
      readonly level: string;
      readonly namespace?: string | undefined;
      readonly database?: string | undefined;
      readonly name: string;
      readonly roles: readonly string[];
    }
  | {
      readonly kind: 'record';
      readonly namespace: string;
      readonly database: string;
      readonly access: string;
      readonly id: string;
    };
