/** EXPLAIN PERMISSIONS FOR a file: whether the rule of its bucket allows a user an action, and by which conditions. */
import { type Identity, mayAct } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import { isEditOfFiles } from '../../files/bucket-rules.js';
import type { FileAction } from '../../language/ast.js';
import { UNCHECKED } from '../../runtime/authorization/permission.js';
import type { Execution } from '../../runtime/execution.js';
import { Variants } from '../../runtime/variants.js';
import { cast } from '../../value/cast.js';
import { toText } from '../../value/text/text.js';
import { FileReference, type Value } from '../../value/value.js';
import { judgeClause, principalName, verdictReason, verdictValue } from './clause-verdict.js';
import { objectOf } from './permissions.js';
import { subjectTo } from './subject.js';

/** The question. */
interface Explained {
  readonly action: FileAction;
  readonly file: FileReference;
  /** Where it would be copied or moved to. */
  readonly target: Value;
}

/**
 * Answers `{ action, allowed, access, as, bucket: { name, clause, allowed, conditions }, exists, file, words }`.
 * @throws TesseraError `bucket_missing`; `cannot_cast` for a target that is no file
 */
export async function explainFilePermissions(
  execution: Execution,
  identity: Identity,
  { action, file, target: to }: Explained,
): Promise<Value> {
  const { files } = execution.services;
  const catalog = await execution.context.catalog();
  const bucket = catalog?.buckets.get(file.bucket);
  if (bucket === undefined) throw failure('bucket_missing', { name: file.bucket });
  const target = to === undefined ? undefined : targetFrom(file, to);
  const exists =
    (await files.of({ ...execution, checks: UNCHECKED, variants: new Variants() }).head(file)) !== undefined;
  const { principal, databasePath, auth, access } = identity;
  const user = principalName(principal);
  const what = `${action} of ${toText(file)}`;
  const answer = { access, action, as: auth, exists, file, ...(target !== undefined && { target }) };
  if (mayAct(principal, isEditOfFiles(action) ? 'edit' : 'view', databasePath)) {
    const words = [`${what} is allowed: no PERMISSIONS apply to ${user}`];
    return objectOf({ ...answer, allowed: true, bucket: undefined, words });
  }
  const judge = files.of(subjectTo(execution, identity));
  const verdict = await judgeClause(bucket.permissions[action], (part) => judge.holds(part, file, action, target));
  const words = [
    `${what} is ${verdict.allowed ? 'allowed' : 'refused'} for ${user}: ${verdictReason(verdict)} (bucket ${bucket.name})`,
    ...(bucket.readonly && isEditOfFiles(action) ? [`the bucket ${bucket.name} is READONLY`] : []),
  ];
  return objectOf({
    ...answer,
    allowed: verdict.allowed,
    bucket: objectOf({ name: bucket.name, ...verdictValue(verdict) }),
    words,
  });
}

/** The file in the operand of ON. @throws TesseraError `cannot_cast` */
export function fileFrom(value: Value): FileReference {
  return cast(value, { kind: 'file', buckets: [] }, () => undefined) as FileReference;
}

/** A file, or a key in the same bucket. @throws TesseraError `cannot_cast` */
function targetFrom({ bucket }: FileReference, value: Value): FileReference {
  return typeof value === 'string' ? FileReference.of(bucket, value) : fileFrom(value);
}
