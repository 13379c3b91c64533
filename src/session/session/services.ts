import type { AuditLog } from '../../audit/audit-log.js';
import type { Authenticator } from '../../auth/authenticator.js';
import type { Stepwise } from '../../base/stepwise.js';
import type { Principal } from '../../catalog/principal.js';
import type { Query } from '../../language/ast.js';
import type { Duration, ObjectValue } from '../../value/value.js';
import type { HeldTransactions } from '../database/held-transactions.js';
import type { ParsedRequest } from '../database/plan-cache.js';
import type { InMemorySessionRegistry } from '../database/session-registry.js';
import type { RunnerServices } from './request-runner.js';

/** What a session needs of its database. */
export interface SessionServices extends RunnerServices {
  readonly authenticator: Authenticator;
  readonly registry: InMemorySessionRegistry;
  readonly transactions: HeldTransactions;
  readonly options: SessionOptions;
  /** Where one is kept. */
  readonly audit: AuditLog | undefined;
  /** The statements of a text, as it is run with these variables; they are cached. */
  parse(text: string, variables: ObjectValue | undefined): ParsedRequest;
  /** The same in pieces, for long texts, which aren't kept. */
  parseStepwise(text: string): Stepwise<Query>;
}

export interface SessionOptions {
  /** Whether somebody who hasn't signed in may run statements, as far as PERMISSIONS allow. */
  readonly guests: boolean;
  /** Who somebody is that hasn't signed in. */
  readonly anonymous: Principal;
  /** How long one request may run; `undefined` is as long as it takes. */
  readonly requestTimeout: Duration | undefined;
  /** For how many milliseconds somebody who is signed in may do nothing; without end if `undefined`. */
  readonly idle: number | undefined;
}
