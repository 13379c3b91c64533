/** The requests of a session while they run: each has an interrupt and memory, and ends with its session. */
import { isPromise, type PromiseOrValue } from '../../../base/promise-or-value.js';
import { RequestInterrupt } from '../../../runtime/interrupt.js';
import type { RequestMemory } from '../../../runtime/request-memory.js';
import type { Cancellable } from '../held-transaction.js';
import type { SessionState } from '../state.js';

export interface RunningRequest {
  readonly interrupt: RequestInterrupt;
  readonly memory: RequestMemory;
}

/** Begins a request at `now` on the monotonic clock. It checks the heap whenever it yields. */
export function beginRequest(
  { services: { environment }, memory }: SessionState,
  now = environment.clock.monotonic(),
): RunningRequest {
  const interrupt = RequestInterrupt.begin(environment, now, memory.connection.server.look);
  return { interrupt, memory: memory.request(interrupt) };
}

/** Runs a request's work. Its interrupt is a member of `group` meanwhile. */
export function runRequest<T>(
  session: SessionState,
  request: RunningRequest,
  work: () => PromiseOrValue<T>,
  group?: Set<Cancellable>,
): PromiseOrValue<T> {
  let result: PromiseOrValue<T>;
  try {
    result = work();
  } catch (error) {
    request.memory.close();
    throw error;
  }
  // Work that completes synchronously cannot be cancelled.
  if (isPromise(result)) return untilDone(session, request, result, group);
  session.memory.finish(request.memory);
  return result;
}

function untilDone<T>(
  session: SessionState,
  { interrupt, memory }: RunningRequest,
  result: Promise<T>,
  group: Set<Cancellable> | undefined,
): Promise<T> {
  session.running ??= new Set();
  const { running } = session;
  running.add(interrupt);
  group?.add(interrupt);
  return result.finally(() => {
    running.delete(interrupt);
    group?.delete(interrupt);
    session.memory.finish(memory);
  });
}

/** Runs the work of a request that streams its result. */
export async function* streamRequest<T>(
  session: SessionState,
  { interrupt, memory }: RunningRequest,
  work: AsyncGenerator<T>,
): AsyncGenerator<T> {
  session.running ??= new Set();
  session.running.add(interrupt);
  try {
    yield* work;
  } finally {
    session.running.delete(interrupt);
    memory.close();
  }
}

/** Cancels all requests at their next checkpoint. */
export function cancelRequests({ running }: SessionState): void {
  for (const interrupt of running ?? []) interrupt.cancel();
}

/** Limits a request by the time limits of the server and of the store. */
export function bounded({ services }: SessionState, interrupt: RequestInterrupt): RequestInterrupt {
  const { options, executor } = services;
  return interrupt.within(options.requestTimeout).within(executor.queryTimeout.current);
}

export type InterruptibleWork<T> = (interrupt: RequestInterrupt, memory: RequestMemory) => PromiseOrValue<T>;

/** Work beside statements; it ends with the session and with the time limit of requests. */
export function runInterruptible<T>(session: SessionState, work: InterruptibleWork<T>): PromiseOrValue<T> {
  const begun = beginRequest(session);
  return runRequest(session, begun, () => work(bounded(session, begun.interrupt), begun.memory));
}
