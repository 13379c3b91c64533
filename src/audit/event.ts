/** Audit events: actor, action, origin and outcome. */

/** Plain data; members that are `undefined` are omitted. */
export type AuditValue = string | number | boolean | readonly AuditValue[] | AuditDetails;
export interface AuditDetails {
  readonly [name: string]: AuditValue | undefined;
}

export type AuditAction =
  // Sessions.
  | 'sign-in'
  | 'sign-up'
  | 'sign-in-start'
  | 'session-end'
  | 'session-kill'
  | 'view-begin'
  | 'view-end'
  // Tokens and grants.
  | 'token-issue'
  | 'token-refresh'
  | 'token-revoke'
  | 'grant-issue'
  | 'grant-revoke'
  | 'grant-purge'
  | 'identity-link'
  // Definitions.
  | 'define'
  | 'alter'
  | 'remove'
  // Whole databases.
  | 'export'
  | 'import'
  /** A request, statement or write that was denied. */
  | 'refuse'
  /** An asynchronous event that is given up. */
  | 'event-lost'
  // The log itself.
  | 'audit-read'
  | 'audit-start'
  | 'audit-lost'
  | 'audit-stop';

/** `undone`: it succeeded, but its transaction was not committed. */
export type AuditOutcome = 'ok' | 'failed' | 'denied' | 'undone';

/** An audited event. It must not contain passwords, tokens, keys or query values; its creator leaves them out. */
export interface AuditEvent {
  readonly action: AuditAction;
  readonly outcome: AuditOutcome;
  /** The code of the error. */
  readonly error?: string | undefined;
  readonly who: AuditActor;
  /** In a view: the user whom it shows to `who`. */
  readonly as?: AuditActor | undefined;
  /** The origin of the request; absent in process. */
  readonly client?:
    | { readonly ip: string | undefined; readonly origin: string | undefined; readonly id: string | undefined }
    | undefined;
  readonly session?: string | undefined;
  /** The selection. */
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
