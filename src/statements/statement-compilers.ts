/** The compile functions of statements that read and write the store. The parts of their bodies are separate bodies. */
import { compileAlter } from '../ddl/define/alter.js';
import { compileAlterLevel } from '../ddl/define/alter-level.js';
import { DEFINITION_COMPILERS } from '../ddl/define/define.js';
import { compileRebuild } from '../ddl/define/rebuild.js';
import { compileRemove } from '../ddl/define/remove.js';
import { compileAccessStatement } from '../ddl/identity/access.js';
import { compileKillSessions } from '../ddl/identity/kill-sessions.js';
import { compileInfo } from '../ddl/info/info.js';
import { failure } from '../errors/error.js';
import type { Statement } from '../language/ast.js';
import type { ControlStatement } from '../query/control/control-statement.js';
import type { Compiler, Evaluate } from '../runtime/frame.js';
import { withPeerErrorText } from '../runtime/peer-error-wording.js';
import { compileExplain, compileExplainable } from './explain/explain.js';
import { compileExplainPermissions } from './explain/permissions.js';
import { compileExplainRecordPermissions } from './explain/record-permissions.js';
import { compileFailedEvents } from './failed-events.js';
import { compileKill } from './live/kill.js';
import { compileLive } from './live/live.js';
import { compileLiveResult } from './live/live-result.js';
import { compileShowChanges } from './live/show-changes.js';
import { compileCreate } from './write/create.js';
import { compileInsert } from './write/insert.js';
import { compileRelate } from './write/relate.js';

type DataStatement = Exclude<Statement, ControlStatement>;

export const STATEMENT_COMPILERS: {
  readonly [K in DataStatement['kind']]: (
    statement: Extract<DataStatement, { readonly kind: K }>,
    compiler: Compiler,
  ) => Evaluate;
} = {
  ...DEFINITION_COMPILERS,
  access: compileAccessStatement,
  alter: compileAlter,
  'alter-level': compileAlterLevel,
  create: withPeerErrorText(compileCreate),
  delete: withPeerErrorText(compileExplainable),
  info: compileInfo,
  insert: withPeerErrorText(compileInsert),
  rebuild: compileRebuild,
  relate: withPeerErrorText(compileRelate),
  remove: compileRemove,
  select: compileExplainable,
  update: withPeerErrorText(compileExplainable),
  upsert: withPeerErrorText(compileExplainable),
  // The runner of a session executes these itself; inside other statements they have no effect.
  begin: runnerOnly,
  cancel: runnerOnly,
  commit: runnerOnly,
  option: runnerOnly,
  use: runnerOnly,
  explain: compileExplain,
  'explain-permissions': compileExplainPermissions,
  'explain-record-permissions': compileExplainRecordPermissions,
  kill: compileKill,
  'failed-events': compileFailedEvents,
  'kill-sessions': compileKillSessions,
  live: withPeerErrorText(compileLive),
  'live-result': compileLiveResult,
  'show-changes': compileShowChanges,
};

function runnerOnly({ kind }: Statement): Evaluate {
  return () => {
    throw failure('statement_out_of_place', { statement: kind.toUpperCase() });
  };
}
