/**
 * Runs the statements of a request in order: each in its own transaction, or all between BEGIN and COMMIT in one. One
 * that only reads and writes records is complete when its commit is accepted; later statements see it before it is
 * durable, and the caller awaits `DurabilityTracker.durable` before replying. All other statements wait for durability
 * first.
 */
import { andThen, isPromise, type PromiseOrValue } from '../../../base/promise-or-value.js';
import { runSteps } from '../../../base/work/stepwise.js';
import type { Statement } from '../../../language/ast.js';
import { weightOfCompiled, weightOfTrees } from '../../../language/tree-weight.js';
import type { ObjectValue } from '../../../value/value.js';
import { OwnStatements } from '../../cache/own-statements.js';
import { type ParsedRequest, SHORT } from '../../cache/statement-cache.js';
import { requestScope } from '../../resources/session-variables.js';
import type { StatementResult } from '../../statement-executor.js';
import type { StatementRequest } from '../held-transaction.js';
import type { SessionState } from '../state.js';
import { assertAdmitted, enterLive } from '../validity.js';
import { runInViewSnapshot } from '../view.js';
import { runBlock } from './block.js';
import { RequestRun } from './request-run.js';
import { beginRequest, bounded, runInterruptible, runRequest } from './running.js';
import { runAlone } from './statement.js';

/** Begins a request, parses its text and runs it. */
export function runText(
  session: SessionState,
  text: string,
  request: StatementRequest,
): PromiseOrValue<StatementResult[]> {
  const ready = enterLive(session);
  // A request that needn't wait makes no closure.
  if (isPromise(ready)) return runTextAfter(ready, session, text, request);
  const parsed = parse(session, text, request.variables);
  return isPromise(parsed) ? runParsedAfter(parsed, session, request) : runParsed(session, parsed, request);
}

function runTextAfter(
  ready: Promise<void>,
  session: SessionState,
  text: string,
  request: StatementRequest,
): Promise<StatementResult[]> {
  return ready.then(() =>
    andThen(parse(session, text, request.variables), (parsed) => runParsed(session, parsed, request)),
  );
}

function runParsedAfter(
  parsed: Promise<ParsedRequest>,
  session: SessionState,
  request: StatementRequest,
): Promise<StatementResult[]> {
  return parsed.then((ready) => runParsed(session, ready, request));
}

/**
 * Parses a text; a long one in steps, yielding between them. The trees are charged while they are made, and by the
 * request that runs them.
 * @throws TesseraError as the parser; `cancelled`, `timed_out`, `request_memory_exceeded`
 */
export function parse(
  session: SessionState,
  text: string,
  variables: ObjectValue | undefined,
): PromiseOrValue<ParsedRequest> {
  if (text.length <= SHORT) return session.services.statements.parse(text, variables);
  assertAdmitted(session);
  return runInterruptible(session, (interrupt, memory) => {
    const parsing = session.services.parseStepwise(text);
    const charge = () => memory.charge(weightOfTrees(parsing.tokens) - memory.used);
    const parsed = runSteps(parsing, {
      checkpoint() {
        charge();
        return interrupt.checkpoint();
      },
    });
    return andThen(parsed, ({ statements }) => {
      charge();
      memory.releaseTo(0);
      // A block is run again after a conflict, so that its trees are kept, with what is compiled of them.
      const isKept = statements.some(({ kind }) => kind === 'begin');
      const weight = isKept ? weightOfCompiled(parsing.tokens) : weightOfTrees(parsing.tokens);
      const own = new OwnStatements(statements, weight);
      return { statements: own.statements, own };
    });
  });
}

/** Runs statements as a request of the session, once the audit log has room. */
export function runParsed(
  session: SessionState,
  parsed: ParsedRequest,
  request: StatementRequest,
): PromiseOrValue<StatementResult[]> {
  const room = session.auditor?.room();
  return isPromise(room) ? room.then(() => runNow(session, parsed, request)) : runNow(session, parsed, request);
}

function runNow(
  session: SessionState,
  parsed: ParsedRequest,
  { variables, deadline, held, heldIdentities, running, background, durability = session.durability }: StatementRequest,
): PromiseOrValue<StatementResult[]> {
  assertAdmitted(session);
  const begun = beginRequest(session, session.lifetime.askedAt);
  const interrupt = bounded(session, begun.interrupt).until(deadline);
  if (deadline !== undefined) interrupt.check();
  const { services, identity, auditor, listener, kept } = session;
  const run = new RequestRun(
    services,
    {
      identity,
      interrupt,
      memory: begun.memory,
      scope: requestScope(kept, variables),
      durability,
      listener,
      auditor,
      variables,
      heldIdentities,
      trace: background === true ? undefined : session.trace,
    },
    held,
  );
  const work = () => {
    if (session.view === undefined || held !== undefined) return runAll(run, parsed);
    return runInViewSnapshot(services.engine, durability, interrupt, (snapshot) => {
      run.held = snapshot;
      return runAll(run, parsed);
    });
  };
  const isLive =
    listener !== undefined && parsed.statements.some(({ kind }) => kind === 'live' || kind === 'live-result');
  return runRequest(session, begun, isLive ? () => listener.answeringFirst(work) : work, running);
}

/**
 * Runs statements; answers synchronously if the storage does and no yield is due. A second call continues with the
 * variables, selection and options of the first.
 * @throws TesseraError `request_memory_exceeded` for the weight of the statements of a long text
 */
export function runAll(run: RequestRun, parsed: ParsedRequest): PromiseOrValue<StatementResult[]> {
  const results: StatementResult[] = [];
  run.results = results;
  if (parsed.own !== undefined) run.memory.charge(parsed.own.weight);
  const { statements, literals, own } = parsed;
  // Until something has to be waited for, statements run without closures and promises.
  for (let at = 0; at < statements.length; at++) {
    const statement = statements[at] as Statement;
    if (statement.kind === 'begin' && run.held === undefined) return runRest(run, parsed, at, undefined);
    run.literals = literals?.[at];
    const done = runAlone(run, statement, at > 0);
    if (isPromise(done)) return runRest(run, parsed, at + 1, done);
    own?.forget(at);
  }
  return results;
}

/** Runs the statements from one of them on, behind what has to be waited for. */
async function runRest(
  run: RequestRun,
  parsed: ParsedRequest,
  from: number,
  before: Promise<void> | undefined,
): Promise<StatementResult[]> {
  await before;
  const { statements, literals, own } = parsed;
  const { results } = run;
  for (let at = from; at < statements.length; at++) {
    const statement = statements[at] as Statement;
    if (statement.kind === 'begin' && run.held === undefined) at = await runBlock(run, parsed, at);
    else {
      run.literals = literals?.[at];
      const done = runAlone(run, statement, at > 0);
      if (isPromise(done)) await done;
    }
    own?.forget(at);
  }
  return results;
}
