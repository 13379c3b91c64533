/** The options of `openDatabase`. */

import type { AuditOptions } from '../../audit/audit-log.js';
import type { AuthenticatorOptions } from '../../auth/authenticator.js';
import type { PasswordHasherOptions } from '../../auth/passwords/passwords.js';
import type { RequestRates } from '../../catalog/limits/request-rates.js';
import type { SmtpRoute } from '../../catalog/mail/mail-route.js';
import type { KnownFormats } from '../../catalog/nodes/store-format.js';
import type { Environment } from '../../env/environment.js';
import type { TesseraError } from '../../errors/error.js';
import type { FileOptions } from '../../files/contents/content-stores.js';
import type { FunctionRuleOptions } from '../../functions/calls/rules.js';
import type { FetchLimits } from '../../functions/network/fetcher.js';
import type { NetworkTargets } from '../../functions/network/targets.js';
import type { QueryLimits } from '../../language/parse.js';
import type { ServerMetrics } from '../../metrics/server-metrics.js';
import type { SearchOptions } from '../../query/expression/analyzers.js';
import type { FieldPermissionDefault } from '../../records/table.js';
import type { ScriptLimits } from '../../runtime/script-runner.js';
import type { Tuning } from '../../runtime/tuning.js';
import type { RequestTrace } from '../../tracing/request-trace.js';
import type { Duration } from '../../value/value.js';
import type { TransactionBounds } from '../resources/held-transactions.js';
import type { MemoryLimits } from '../resources/server-memory.js';
import type { SlowLog } from '../slow-log.js';

export interface DatabaseOptions {
  readonly environment?: Environment;
  /** Where the server listens, for INFO FOR NODES. */
  readonly address?: string;
  /** Whether guests may run statements, as far as PERMISSIONS allow. Default: no. */
  readonly guests?: boolean;
  /** Whether every session has owner rights without signing in. Default: no. */
  readonly unauthenticated?: boolean;
  /** The time limit of one request. Default: none. */
  readonly requestTimeout?: Duration;
  /** How record users see fields without a PERMISSIONS clause. Default: as their table. */
  readonly fieldPermissions?: FieldPermissionDefault;
  /** Whether a write denied by PERMISSIONS is an error (`write_refused`) instead of being skipped. Default: no. */
  readonly strictPermissions?: boolean;
  /** For tests: results don't depend on it. */
  readonly tuning?: Partial<Tuning>;
  /** The hosts that `http::*` and key sets may use. Default: none. */
  readonly network?: Partial<NetworkTargets & FetchLimits>;
  /** The mail server of databases that have none of their own. Default: none. */
  readonly mail?: SmtpRoute | undefined;
  /** Accepts short or missing keys of access methods, which then fail when they are used. Default: no. */
  readonly weakKeys?: boolean;
  /** The functions that may be called. Default: all. */
  readonly functions?: Partial<FunctionRuleOptions>;
  /** Allows embedded JavaScript, within these limits. Default: not allowed. */
  readonly scripting?: Partial<ScriptLimits>;
  /** Full-text search. Default: no mapper files, and scores computed from the rows that the reader may see. */
  readonly search?: Partial<SearchOptions>;
  /** Where buckets may keep files beside the store. Default: in memory. */
  readonly buckets?: Partial<Omit<FileOptions, 'memory'>>;
  /** Limits of the text of a query. Default: `DEFAULT_LIMITS` of the parser. */
  readonly queries?: QueryLimits;
  /** Memory limits in bytes. Default: shares of the heap limit. */
  readonly memory?: Partial<MemoryLimits>;
  /** Limits of sessions. Default: none. */
  readonly sessions?: SessionBounds;
  /** Limits of transactions. Default: `DEFAULT_TRANSACTION_BOUNDS`. */
  readonly transactions?: Partial<TransactionBounds>;
  readonly hashing?: PasswordHasherOptions;
  readonly authentication?: AuthenticatorOptions;
  /** How often clients may sign up and call endpoints. Default: `DEFAULT_REQUEST_RATES`. */
  readonly rates?: Partial<RequestRates>;
  /** Keeps an audit log. Default: none. */
  readonly audit?: AuditOptions;
  /**
   * If other nodes use the store, by how many milliseconds this node may be behind their commits before it refuses work
   * for signed-in users. Default: `DEFAULT_MAX_STALENESS`.
   */
  readonly maxStaleness?: number;
  /**
   * By how many milliseconds a session's live queries may be behind the commits before they end. Default:
   * `DEFAULT_LIVE_MAX_AGE`.
   */
  readonly liveMaxAge?: number;
  /** For tests: the formats of a store that it reads and writes. */
  readonly formats?: KnownFormats;
  /** Counts statements and sign-ins. Default: nothing is counted. */
  readonly metrics?: ServerMetrics;
  /** Takes slow statements. Default: none is slow. */
  readonly slowLog?: SlowLog | undefined;
  /** Takes internal errors and unavailable key sets, for the server's log. */
  readonly report?: (error: TesseraError, trace?: RequestTrace) => void;
}

/** Limits of sessions, in addition to DURATION FOR SESSION. */
export interface SessionBounds {
  /** Idle timeout of a signed-in session, in milliseconds. */
  readonly idle?: number | undefined;
  /** Maximum lifetime of a record user's session, in milliseconds. */
  readonly lifetime?: number | undefined;
  /** Maximum number of lasting sessions per record user; a further one ends the oldest. */
  readonly perUser?: number | undefined;
}
