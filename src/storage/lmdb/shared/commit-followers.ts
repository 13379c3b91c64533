import type { CommitFollower, FollowedCommit } from '../../contract.js';
import type { KnownGroup } from './log-mirror.js';

/** The followers of the commits of all processes (`SharedStore.follow`). */
export class CommitFollowers {
  readonly #followers = new Set<CommitFollower>();

  /** Returns how to end it. */
  add(follower: CommitFollower): () => void {
    // A new object, so that one follower may follow twice.
    const each: CommitFollower = { onCommits: (commits) => follower.onCommits(commits), onGap: () => follower.onGap() };
    this.#followers.add(each);
    return () => {
      this.#followers.delete(each);
    };
  }

  /** Delivers groups that have become visible. */
  deliver(groups: readonly KnownGroup[]): void {
    let commits: FollowedCommit[] = [];
    const flush = () => {
      if (commits.length > 0) for (const follower of this.#followers) follower.onCommits(commits);
      commits = [];
    };
    for (const { commits: logged, isOwn, isGap } of groups) {
      for (const { versionstamp, keys, ranges } of logged) commits.push({ versionstamp, isOwn, keys, ranges });
      if (!isGap) continue;
      flush();
      for (const follower of this.#followers) follower.onGap();
    }
    flush();
  }
}
