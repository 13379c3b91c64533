/** Audit events of statements. */
import type { DatabasePath } from '../catalog/principal.js';
import type { TesseraError } from '../errors/error.js';
import type { Expression } from '../language/ast.js';

/** Collects audit events as statements run; they are written once the transaction's outcome is known. */
export interface AuditRecorder {
  /** Records the name that an expression of a definition evaluated to. */
  recordName(by: Expression, name: string): void;
  nameOf(by: Expression): string | undefined;
  /** A statement changed definitions or grants, or failed to. */
  recordAction(act: AdministrativeAction, error?: TesseraError): void;
  /** A write was skipped because PERMISSIONS deny it. */
  recordDenial(refusal: DeniedWrite): void;
}

/** A change of a definition, of grants, or of what others are signed in with, or a look at the audit log. */
export interface AdministrativeAction {
  readonly action:
    | 'define'
    | 'alter'
    | 'remove'
    | 'grant-issue'
    | 'grant-revoke'
    | 'grant-purge'
    | 'identity-link'
    | 'session-kill'
    | 'audit-read';
  readonly databasePath: DatabasePath;
  /**
   * Its subject: `{kind: 'field', name: 'email', table: 'user'}`, without the definition itself, which may hold
   * secrets.
   */
  readonly subject: Readonly<Record<string, string | number | readonly string[] | undefined>>;
}

/** Records the implicit definition of a namespace, a database or a table. */
export function recordImplied(
  recorder: AuditRecorder | undefined,
  databasePath: DatabasePath,
  kind: string,
  name: string | undefined,
): void {
  if (name !== undefined)
    recorder?.recordAction({ action: 'define', databasePath, subject: { kind, name, by: 'use' } });
}

/** A write that PERMISSIONS deny: of a record of a table or, where one is named, of a field. */
export interface DeniedWrite {
  readonly action: 'create' | 'update' | 'delete';
  readonly table: string;
  readonly field?: string;
  /** The table doesn't exist, so that the client has made its name up. */
  readonly isMissing?: true;
}
