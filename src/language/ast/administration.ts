/** Statements about the database itself: its definitions, plans, sessions and grants. */
import type { FileAction } from './api.js';
import type { Delete, Select, Update } from './data.js';
import type { Level, Name, TableAction } from './definition.js';
import type { Expression } from './expression.js';
import type { Statement } from './statement.js';

/** `KILL SESSION id`, `KILL [OTHER] SESSIONS`, `KILL SESSIONS FOR …`: ends sessions, with their credentials. */
export interface KillSessions {
  readonly kind: 'kill-sessions';
  readonly which:
    | { readonly kind: 'one'; readonly id: Expression }
    /** The current user's own. */
    | { readonly kind: 'own' }
    /** All of these but the one that runs the statement. */
    | { readonly kind: 'others' }
    | { readonly kind: 'user'; readonly name: string; readonly level?: Level }
    | { readonly kind: 'record'; readonly record: Expression };
}

/** `RETRY EVENT 1`, `KILL EVENTS`: runs asynchronous events that failed once more, or discards them. */
export interface FailedEvents {
  readonly kind: 'failed-events';
  readonly action: 'retry' | 'kill';
  /** The number of one; without it all of them. */
  readonly id?: Expression;
}

export interface Info {
  readonly kind: 'info';
  readonly of:
    | {
        readonly kind:
          | 'root'
          | 'namespace'
          | 'database'
          | 'sessions'
          | 'nodes'
          | 'mail'
          | 'events'
          | 'tables'
          | 'buckets';
      }
    // Tessera's own, as the last six.
    | { readonly kind: 'signin-attempts' | 'audit-verification' }
    | { readonly kind: 'audit'; readonly where?: Expression; readonly limit?: number }
    | { readonly kind: 'table'; readonly name: Name }
    | { readonly kind: 'user'; readonly name: Name; readonly level?: Level }
    | { readonly kind: 'access'; readonly name: Name; readonly level?: Level }
    | { readonly kind: 'index'; readonly name: Name; readonly table: Name };
  readonly structure: boolean;
  readonly version?: Expression;
}

export interface Rebuild {
  readonly kind: 'rebuild';
  readonly ifExists: boolean;
  readonly index: string;
  readonly table: string;
  readonly concurrently: boolean;
}

export interface Explain {
  readonly kind: 'explain';
  readonly analyze: boolean;
  readonly format?: 'text' | 'json';
  readonly statement: Statement;
}

/** EXPLAIN PERMISSIONS of a statement: for the record user `as`, or without it for a guest. */
export interface ExplainPermissions {
  readonly kind: 'explain-permissions';
  readonly statement: Select | Update | Delete;
  readonly as?: Expression;
}

/** EXPLAIN PERMISSIONS FOR one record or file: for the record user `as`, or without it for a guest. */
export interface ExplainRecordPermissions {
  readonly kind: 'explain-record-permissions';
  readonly action: TableAction | FileAction;
  /** The record, or the file. */
  readonly target: Expression;
  /** Where the file would be copied or moved to. */
  readonly to?: Expression;
  readonly as?: Expression;
  /** The access method that `as` has signed in with. */
  readonly access?: string;
}

/**
 * `ACCESS name [ON level] GRANT|SHOW|REVOKE|PURGE|ROTATE …`: the grants of bearer access methods and refresh tokens,
 * and keys.
 */
export interface Access {
  readonly kind: 'access';
  readonly name: string;
  /** Without it, the level that the session has selected. */
  readonly level?: Level;
  readonly action:
    | {
        readonly kind: 'grant';
        readonly subject:
          | { readonly kind: 'user'; readonly name: string }
          | { readonly kind: 'record'; readonly record: Expression };
      }
    | {
        // Tessera's own: ties what a user is elsewhere to a record.
        readonly kind: 'link';
        readonly record: Expression;
        readonly subject: string;
      }
    | {
        readonly kind: 'show' | 'revoke';
        readonly which:
          | { readonly kind: 'all' }
          | { readonly kind: 'grant'; readonly id: string }
          | { readonly kind: 'where'; readonly condition: Expression };
      }
    | {
        readonly kind: 'rotate';
        readonly rotation: KeyRotation;
      }
    | {
        readonly kind: 'purge';
        readonly expired: boolean;
        readonly revoked: boolean;
        /** Nanoseconds that a grant must have been inactive for. */
        readonly inactiveFor?: bigint;
      };
}

/** The new keys of an access method; a secret is generated unless given. */
export interface KeyRotation {
  readonly key?: string;
  readonly issuerKey?: string;
  /** Nanoseconds for which the former key still verifies. Default: the lifetime of tokens. */
  readonly keep?: bigint;
}
