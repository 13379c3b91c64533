/** All statements. */
import type {
  Access,
  Explain,
  ExplainPermissions,
  ExplainRecordPermissions,
  FailedEvents,
  Info,
  KillSessions,
  Rebuild,
} from './administration.js';
import type { Alter, AlterLevel, RemoveStatement } from './alter-remove.js';
import type { Begin, Break, Cancel, Commit, Continue, For, Let, Option, Return, Sleep, Throw, Use } from './control.js';
import type { Create, Delete, Insert, Relate, Select, Update, Upsert } from './data.js';
import type { DefineStatement } from './definition.js';
import type { Expression } from './expression.js';
import type { Kill, Live, LiveResult, ShowChanges } from './live.js';

export type Statement =
  | ExpressionStatement
  | Use
  | Let
  | Return
  | Throw
  | For
  | Break
  | Continue
  | Begin
  | Commit
  | Cancel
  | Option
  | Sleep
  | Select
  | Create
  | Insert
  | Update
  | Upsert
  | Delete
  | Relate
  | Live
  | LiveResult
  | Kill
  | KillSessions
  | FailedEvents
  | ShowChanges
  | Info
  | Rebuild
  | Explain
  | ExplainPermissions
  | ExplainRecordPermissions
  | Access
  | DefineStatement
  | Alter
  | AlterLevel
  | RemoveStatement;

/** A query text: its statements in order. */
export interface Query {
  readonly statements: readonly Statement[];
}

/** A value alone, an IF, a block, a call: whatever isn't introduced by a keyword of a statement. */
export interface ExpressionStatement {
  readonly kind: 'expression';
  readonly expression: Expression;
}
