/**
 * INFO FOR AUDIT: the audit log of this server, newest first, and INFO FOR AUDIT VERIFY: whether its hash chain holds.
 *
 * Owners see the events of their level and below. Other events are left out before their condition is
 * evaluated.
 */
import { databasePathOf, mayAct } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import type { Info } from '../../language/ast.js';
import { authorize } from '../../runtime/authorization/authorize.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import type { AuditLine, AuditTrail } from '../../runtime/inspection.js';
import { isTruthy } from '../../value/truthiness.js';
import { type ObjectValue, objectFrom } from '../../value/value.js';

const DEFAULT_LIMIT = 100;

type AuditSubject = Extract<Info['of'], { readonly kind: 'audit' }>;

export function compileAuditInfo({ where, limit = DEFAULT_LIMIT }: AuditSubject, compiler: Compiler): Evaluate {
  const condition = where && compiler.expression(where);
  return async (frame) => {
    const { execution } = frame;
    const { principal } = execution.identity;
    authorize(execution.identity, 'own', principal.kind === 'system' ? databasePathOf(principal) : {}, 'Any');
    const found = await matching(frame, trailOf(execution), condition, limit);
    recordReading(execution, { records: found.length });
    return found;
  };
}

async function matching(
  frame: Frame,
  trail: AuditTrail,
  condition: Evaluate | undefined,
  limit: number,
): Promise<ObjectValue[]> {
  const { identity, interrupt } = frame.execution;
  const found: ObjectValue[] = [];
  if (limit === 0) return found;
  for await (const lines of trail.newestFirst()) {
    await interrupt.checkpoint();
    for (const line of lines) {
      if (!mayAct(identity.principal, 'own', line.databasePath)) continue;
      const shown = line.record ?? objectFrom({});
      if (condition !== undefined && !isTruthy(await condition(frame.within(shown)))) continue;
      found.push(withFault(shown, line));
      if (found.length >= limit) return found;
    }
  }
  return found;
}

/** `fault` is set only for changed records, whatever the line itself contains. */
function withFault(record: ObjectValue, line: AuditLine): ObjectValue {
  const fault = line.fault();
  return fault === undefined ? record : objectFrom({ ...record, fault });
}

/** The chain is of the whole log, so that only owners of the root may verify it. */
export async function auditVerification(execution: Execution): Promise<ObjectValue> {
  authorize(execution.identity, 'own', {}, 'Any');
  const { records, head, broken } = await trailOf(execution).verify(execution.interrupt);
  recordReading(execution, { verified: records });
  return objectFrom({
    broken: broken && objectFrom({ line: broken.line, reason: broken.reason }),
    head,
    node: execution.services.sessions.elsewhere?.node,
    records,
    valid: broken === undefined,
  });
}

function trailOf({ services }: Execution): AuditTrail {
  const { auditTrail } = services.inspection;
  if (auditTrail === undefined) throw failure('audit_log_unreadable', { reason: 'none is kept (--audit-log FILE)' });
  return auditTrail;
}

function recordReading(
  { request: { auditRecorder }, identity: { databasePath } }: Execution,
  subject: Readonly<Record<string, number>>,
): void {
  auditRecorder?.recordAction({ action: 'audit-read', databasePath, subject });
}
