/** PERMISSIONS of buckets. */
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import type { BucketDefinition } from '../catalog/definitions/definition.js';
import { failure } from '../errors/error.js';
import type { FileAction, Permission } from '../language/ast.js';
import { admits, CompiledRules } from '../runtime/authorization/permission.js';
import type { Execution } from '../runtime/execution.js';
import type { Compiler } from '../runtime/frame.js';
import { FileReference, type ObjectValue } from '../value/value.js';

/** Actions that roles allow to those who may edit; the others to those who may view. */
const EDITS: ReadonlySet<FileAction> = new Set<FileAction>(['put', 'delete', 'copy', 'rename']);

/** What a rule is asked about. */
export interface Asked {
  readonly bucket: BucketDefinition;
  readonly key: string;
  /** Of copy and rename. */
  readonly target?: FileReference | undefined;
}

export class BucketRules {
  readonly #rules: CompiledRules;

  constructor(compiler: Compiler) {
    this.#rules = new CompiledRules(compiler);
  }

  /**
   * Whether the principal may do something with a file. Its facts are the document of the rule, and `$value`; they are
   * NONE where there is no file, so that a rule about them says the same of a file that is missing as of one of
   * others.
   */
  may(execution: Execution, action: FileAction, asked: Asked, facts: ObjectValue | undefined): PromiseOrValue<boolean> {
    if (!isSubject(execution, action)) return true;
    return this.holds(execution, asked.bucket.permissions[action], action, asked, facts);
  }

  /** Whether a clause, or a part of one, allows it to those to whom rules apply. */
  holds(
    execution: Execution,
    clause: Permission,
    action: FileAction,
    { bucket, key, target }: Asked,
    facts: ObjectValue | undefined,
  ): PromiseOrValue<boolean> {
    return admits(this.#rules.of(clause), execution, facts, {
      action,
      file: new FileReference(bucket.name, key),
      target,
      value: facts,
    });
  }

  /** @throws TesseraError `file_denied` */
  assertMay(
    execution: Execution,
    action: FileAction,
    asked: Asked,
    facts: ObjectValue | undefined,
  ): PromiseOrValue<void> {
    return andThen(this.may(execution, action, asked, facts), (isAllowed) => {
      if (!isAllowed) throw failure('file_denied', { action, bucket: asked.bucket.name });
    });
  }
}

/** Whether rules apply to what the principal does. */
function isSubject({ checks }: Execution, action: FileAction): boolean {
  return isEditOfFiles(action) ? checks.edit : checks.view;
}

/** Whether it is the role of editors that allows an action, rather than that of viewers. */
export function isEditOfFiles(action: FileAction): boolean {
  return EDITS.has(action);
}

/** Whether no rule can allow it, whatever the file. */
export function isNeverAllowed(execution: Execution, action: FileAction, { permissions }: BucketDefinition): boolean {
  return isSubject(execution, action) && permissions[action].kind === 'none';
}
