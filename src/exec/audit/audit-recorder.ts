/** What the audit log is to be told of by statements. */
import type { DatabasePath } from '../../catalog/principal.js';
import type { TesseraError } from '../../errors/error.js';
import type { Expression } from '../../language/ast.js';

/** Hears what statements do, as they do it; whether it lasts is known when the transaction is committed. */
export interface AuditRecorder {
  /** A name that a definition computes has turned out to be this. */
  recordName(by: Expression, name: string): void;
  nameOf(by: Expression): string | undefined;
  /** A statement has changed definitions or grants, or failed to. */
  recordAction(act: AuditAction, error?: TesseraError): void;
  /** A write was left out, since PERMISSIONS refuse it. */
  recordDenial(refusal: DeniedWrite): void;
}

/** A change of a definition, of grants, or of what others are signed in with. */
export interface AuditAction {
  readonly action: 'define' | 'alter' | 'remove' | 'grant-issue' | 'grant-revoke' | 'grant-purge' | 'session-kill';
  readonly place: DatabasePath;
  /** What it is about: `{kind: 'field', name: 'email', table: 'user'}`. Nothing of the definition itself, which may hold secrets. */
  readonly subject: Readonly<Record<string, string | number | readonly string[] | undefined>>;
}

/** Something came into being by being used. */
export function recordImplied(
  recorder: AuditRecorder | undefined,
  place: DatabasePath,
  kind: string,
  name: string | undefined,
): void {
  if (name !== undefined) recorder?.recordAction({ action: 'define', place, subject: { kind, name, by: 'use' } });
}

/** A write that PERMISSIONS refuse: of a record of a table or, where one is named, of a field. */
export interface DeniedWrite {
  readonly action: 'create' | 'update' | 'delete';
  readonly table: string;
  readonly field?: string;
}
