/**
 * The source streams of a session's subscriptions (GraphQL specification, section 6.2.3): dispatches the notifications
 * of its live queries.
 */
import { failure } from '../../errors/error.js';
import type { Notification, NotificationSink, Session } from '../../session/contract.js';
import { LiveQuota } from '../../session/resources/live-quota.js';
import type { Uuid, Value } from '../../value/value.js';
import { weightOf } from '../../value/weight.js';
import type { LiveWork } from '../execution/root-plan.js';

/**
 * Maximum memory of the requests of all subscriptions of a session, in bytes; their live queries are counted by the
 * session.
 */
const MOST_KEPT = 16 * 2 ** 20;

/** The owner of a live query, and the memory of its request. */
interface Listener {
  readonly sink: NotificationSink;
  readonly weight: number;
}

export class SourceStreams {
  readonly #session: Session;
  /** By the ids of their live queries. */
  readonly #listeners = new Map<string, Listener>();
  /** Of the requests of all listeners, and of those that are about to listen. */
  #weight = 0;
  /** Live queries whose ids aren't known yet. */
  readonly #beginning = new Set<Promise<unknown>>();

  /** Requires exclusive use of the session's notifications. `queries`: maximum number of live queries. */
  constructor(session: Session, queries: number) {
    this.#session = session;
    session.listen((notification) => this.#deliver(notification), new LiveQuota({ queries }));
  }

  /**
   * Begins a live query by `start`, and returns its id. `sink` is called with each later change and the end. `kept`:
   * values held for it, which count towards the memory limit.
   * @throws TesseraError `live_queries_too_large`, `connection_memory_exceeded`, and errors of the statement
   */
  async begin(start: () => Promise<Uuid>, kept: readonly Value[], sink: NotificationSink): Promise<Uuid> {
    const weight = weightOf(...kept);
    if (this.#weight + weight > MOST_KEPT) throw failure('live_queries_too_large', { limit: MOST_KEPT });
    const { budget } = this.#session.memory.connection;
    budget.charge(weight);
    this.#weight += weight;
    const begun = start().then(
      (id) => {
        this.#listeners.set(id.text, { sink, weight });
        return id;
      },
      (error) => {
        this.#release(weight);
        throw error;
      },
    );
    const settled = begun.catch(() => undefined);
    this.#beginning.add(settled);
    try {
      return await begun;
    } finally {
      this.#beginning.delete(settled);
    }
  }

  /** Begins a live query of the session. */
  async execute({ statement, values }: LiveWork): Promise<Uuid> {
    const [result] = await this.#session.execute([statement], values);
    if (result === undefined) throw failure('realtime_unavailable');
    if (!result.outcome.ok) throw result.outcome.error;
    return result.outcome.value as Uuid;
  }

  /** Ends a live query. Its listener isn't called again. */
  async end(id: Uuid): Promise<void> {
    if (!this.#forget(id)) return;
    try {
      await this.#session.execute([{ kind: 'kill', id: { kind: 'literal', value: id } }]);
    } catch {
      // A session that may run nothing has no live queries left.
    }
  }

  #forget({ text }: Uuid): boolean {
    this.#release(this.#listeners.get(text)?.weight ?? 0);
    return this.#listeners.delete(text);
  }

  #release(weight: number): void {
    this.#weight -= weight;
    this.#session.memory.connection.budget.release(weight);
  }

  async #deliver(notification: Notification): Promise<void> {
    const { text } = notification.id;
    // The first changes may arrive before the id.
    while (!this.#listeners.has(text) && this.#beginning.size > 0) await Promise.race(this.#beginning);
    const listener = this.#listeners.get(text);
    if (notification.action === 'KILLED') this.#forget(notification.id);
    await listener?.sink(notification);
  }
}
