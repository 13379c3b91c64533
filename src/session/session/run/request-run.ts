/** The state of a request that runs statements: plain fields, of which some change with each statement. */
import type { SessionIdentity } from '../../../auth/identity.js';
import type { TesseraError } from '../../../errors/error.js';
import type { Expression, Statement } from '../../../language/ast.js';
import { constantValue } from '../../../language/constant-value.js';
import type { LiveListener } from '../../../runtime/execution.js';
import type { Interrupt } from '../../../runtime/interrupt.js';
import type { RequestMemory } from '../../../runtime/request-memory.js';
import type { Scope } from '../../../runtime/scope.js';
import { SentRequests } from '../../../runtime/sent-requests.js';
import type { Transaction, WaitInterrupt } from '../../../storage/contract.js';
import type { RequestTrace } from '../../../tracing/request-trace.js';
import type { Span } from '../../../tracing/tracer.js';
import { Duration, type ObjectValue, type Value } from '../../../value/value.js';
import { AuditBuffer } from '../../audit/audit-buffer.js';
import type { Auditor } from '../../audit/auditor.js';
import type { StatementResult } from '../../statement-executor.js';
import type { DurabilityTracker } from '../durability.js';
import type { HeldIdentities } from '../held-transaction.js';
import type { SessionServices } from '../services.js';

/** What a request runs with. */
export interface RunContext {
  readonly identity: SessionIdentity;
  readonly interrupt: Interrupt;
  readonly memory: RequestMemory;
  readonly scope: Scope;
  readonly durability: DurabilityTracker;
  /** Receives the notifications of live queries. */
  readonly listener: LiveListener | undefined;
  /** Absent if no audit log is kept. */
  readonly auditor: Auditor | undefined;
  /** The parameters that came with the request, for the log of slow statements. */
  readonly variables: ObjectValue | undefined;
  /** The identities that have run statements in it; absent if it isn't held by a client. */
  readonly heldIdentities: HeldIdentities | undefined;
  readonly trace: RequestTrace | undefined;
}

/**
 * A request. It ends a statement's waits for the store: by its interrupt, and by the TIMEOUT of a statement that runs
 * alone, which holds for its BEGIN and its COMMIT, too. Only a TIMEOUT that is computed begins with the statement.
 */
export class RequestRun implements WaitInterrupt {
  readonly services: SessionServices;
  readonly context: RunContext;
  readonly memory: RequestMemory;
  /** If the request is traced: a wait for the store begins; call the returned function when it has ended. */
  readonly waiting: WaitInterrupt['waiting'];
  /** The transaction to run in; otherwise each statement has its own, or each block. */
  held: Transaction | undefined;
  results: StatementResult[] = [];
  /** The current identity; USE changes it for later statements of this request only. */
  identity: SessionIdentity;
  /** The variables of the request; within a block, those of the block. */
  scope: Scope;
  /** By OPTION: a write that PERMISSIONS deny is an error. */
  strict: boolean;
  /** By OPTION: no events, no field processing. */
  importing = false;
  /** Whether a block runs, in which no statement waits for the store by its own TIMEOUT. */
  inBlock = false;
  /** The statement that runs, or has run last, and the values of its slots. */
  statement: Statement | undefined = undefined;
  literals: readonly Value[] | undefined = undefined;
  /** When it began, on the monotonic clock; and what the request's memory counted then. */
  began = 0;
  used = 0;
  made = 0;
  /** Of the statement, if requests are traced. */
  span: Span | undefined = undefined;
  /** What attempts at the current statement or block have sent to other servers. */
  sent = new SentRequests();
  /** The audit events of the current attempt at a statement or block. */
  buffer: AuditBuffer | undefined = undefined;

  constructor(services: SessionServices, context: RunContext, held?: Transaction) {
    this.services = services;
    this.context = context;
    this.held = held;
    this.memory = context.memory;
    this.identity = context.identity;
    this.scope = context.scope;
    this.strict = services.strictPermissions;
    this.waiting = context.trace?.span && (() => beginWait(this));
  }

  onEnd(callback: (reason: TesseraError) => void, grace?: number): () => void {
    return interruptOf(this).onEnd(callback, grace);
  }
}

function beginWait({ span, context }: RequestRun): (() => void) | undefined {
  const wait = (span ?? context.trace?.span)?.begin('store wait');
  return wait && (() => wait.end());
}

function interruptOf(run: RequestRun): Interrupt {
  const { inBlock, statement, began } = run;
  const { interrupt } = run.context;
  if (inBlock || statement === undefined || !('timeout' in statement) || statement.timeout === undefined) {
    return interrupt;
  }
  const value = knownValue(run, statement.timeout);
  return value instanceof Duration ? interrupt.within(value, began) : interrupt;
}

/** The value of a literal or a variable. */
function knownValue({ scope, literals }: RequestRun, expression: Expression): Value {
  if (expression.kind !== 'param') return constantValue(expression)?.value;
  const { name, slot } = expression;
  return slot === undefined ? scope.get(name) : literals?.[slot];
}

/** Begins the attempts at a statement or block. */
export function beginAttempts(run: RequestRun): void {
  run.sent = new SentRequests();
  if (run.context.auditor !== undefined) run.buffer = new AuditBuffer();
}

/** Begins another attempt, with the memory of the first: the audit events of the previous one are discarded. */
export function beginAttempt(run: RequestRun, used: number): void {
  run.sent.begin();
  if (run.context.auditor !== undefined) run.buffer = new AuditBuffer();
  run.memory.releaseTo(used);
}
