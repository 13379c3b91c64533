/**
 * Settings of the reference server without effect here. They are accepted with a warning, so that its start scripts
 * work.
 */

export interface IgnoredSetting {
  readonly flag: string;
  /** Why it has no effect. */
  readonly because: string;
}

const CLUSTER = 'one server keeps a store, and needs no others to agree with';
const LOGS = 'the log goes to standard error, one JSON object a line';
const SESSIONS = 'sessions over HTTP last as long as their request';
const EVAL = 'there are no functions that run text';

export const IGNORED_SETTINGS: readonly IgnoredSetting[] = [
  { flag: '--strict', because: 'DEFINE DATABASE … STRICT says it for each database' },
  { flag: '--temporary-directory <path>', because: 'nothing is sorted on disk' },
  { flag: '--allow-insecure-storable-closures', because: 'closures are never stored' },
  { flag: '--allow-eval-query [subjects]', because: EVAL },
  { flag: '--deny-eval-query [subjects]', because: EVAL },
  { flag: '--postgres-bind <address>', because: 'the protocol of PostgreSQL is not spoken' },
  { flag: '--durable-sessions', because: SESSIONS },
  { flag: '--durable-sessions-ttl <time>', because: SESSIONS },
  { flag: '--durable-sessions-gc-interval <time>', because: SESSIONS },
  { flag: '--tick-interval <time>', because: CLUSTER },
  { flag: '--node-membership-refresh-interval <time>', because: CLUSTER },
  { flag: '--node-membership-check-interval <time>', because: CLUSTER },
  { flag: '--node-membership-cleanup-interval <time>', because: CLUSTER },
  { flag: '--readiness-heartbeat-max-age <time>', because: CLUSTER },
  { flag: '--changefeed-gc-interval <time>', because: 'change feeds are pruned as they grow old' },
  { flag: '--index-compaction-interval <time>', because: 'indexes need no compaction' },
  { flag: '--async-event-interval <time>', because: 'asynchronous events run at once' },
  { flag: '--kvs-ca <file>', because: CLUSTER },
  { flag: '--kvs-crt <file>', because: CLUSTER },
  { flag: '--kvs-key <file>', because: CLUSTER },
  { flag: '--log-format <format>', because: LOGS },
  { flag: '--log-file-enabled', because: LOGS },
  { flag: '--log-file-level <level>', because: LOGS },
  { flag: '--log-file-format <format>', because: LOGS },
  { flag: '--log-file-path <path>', because: LOGS },
  { flag: '--log-file-name <name>', because: LOGS },
  { flag: '--log-file-rotation <interval>', because: LOGS },
  { flag: '--log-socket <address>', because: LOGS },
  { flag: '--log-socket-level <level>', because: LOGS },
  { flag: '--log-socket-format <format>', because: LOGS },
  { flag: '--log-otel-level <level>', because: LOGS },
];
