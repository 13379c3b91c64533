/** Wakes this node's background work when another node has queued some. */
import { databaseOfQueuedEvent, INDEX_QUEUE } from '../../catalog/keys/store-keys.js';
import type { CommitFollower } from '../../storage/contract.js';

/** Receives background work that commits of other nodes have queued. */
export interface QueuedWork {
  readonly events: { queued(database: number): void; queuedAnywhere(): void };
  readonly indexes: { wake(): void };
}

/** Wakes background work when a commit of another node has queued some. */
export function followWork({ events, indexes }: QueuedWork): CommitFollower {
  const onKey = (key: string): void => {
    if (key.startsWith(INDEX_QUEUE)) indexes.wake();
    const database = databaseOfQueuedEvent(key);
    if (database !== undefined) events.queued(database);
  };
  return {
    onCommits(commits) {
      for (const { isOwn, keys, ranges } of commits) {
        if (isOwn) continue;
        for (const key of keys) onKey(key);
        if (ranges.length === 0) continue;
        // Of a large commit not all keys are known.
        events.queuedAnywhere();
        indexes.wake();
      }
    },
    onGap() {
      events.queuedAnywhere();
      indexes.wake();
    },
  };
}
