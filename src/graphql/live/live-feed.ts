/** What the live queries of one session tell, handed to whoever began them. */
import { failure } from '../../errors/error.js';
import type { Live } from '../../language/ast.js';
import type { Notification, NotificationSink, Session } from '../../session/contract.js';
import { LiveAllowance } from '../../session/live-allowance.js';
import type { ObjectValue, Uuid } from '../../value/value.js';

export class LiveFeed {
  readonly #session: Session;
  /** By the ids of their live queries. */
  readonly #listeners = new Map<string, NotificationSink>();
  /** Live queries whose ids aren't known yet. */
  readonly #beginning = new Set<Promise<unknown>>();

  /** Nobody else may listen to the session. `queries` is how many live queries it may have. */
  constructor(session: Session, queries: number) {
    this.#session = session;
    session.listen((notification) => this.#tell(notification), new LiveAllowance({ queries }));
  }

  /** Begins a live query, whose id it gives. The listener hears of each change that is committed from now on, and of the end. */
  async begin(statement: Live, values: ObjectValue, listener: NotificationSink): Promise<Uuid> {
    const begun = this.#begin(statement, values).then((id) => {
      this.#listeners.set(id.text, listener);
      return id;
    });
    const settled = begun.catch(() => undefined);
    this.#beginning.add(settled);
    try {
      return await begun;
    } finally {
      this.#beginning.delete(settled);
    }
  }

  async #begin(statement: Live, values: ObjectValue): Promise<Uuid> {
    const [result] = await this.#session.execute([statement], values);
    if (result === undefined) throw failure('realtime_unavailable');
    if (!result.outcome.ok) throw result.outcome.error;
    return result.outcome.value as Uuid;
  }

  /** Ends a live query. Its listener hears nothing any more. */
  async end(id: Uuid): Promise<void> {
    if (!this.#listeners.delete(id.text)) return;
    try {
      await this.#session.execute([{ kind: 'kill', id: { kind: 'literal', value: id } }]);
    } catch {
      // A session that may run nothing has no live queries left.
    }
  }

  async #tell(notification: Notification): Promise<void> {
    const { text } = notification.id;
    // The first changes may be told while the answer that holds the id is still on its way.
    while (!this.#listeners.has(text) && this.#beginning.size > 0) await Promise.race(this.#beginning);
    const listener = this.#listeners.get(text);
    if (notification.action === 'KILLED') this.#listeners.delete(text);
    await listener?.(notification);
  }
}
