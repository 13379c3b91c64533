/** Following the commits of an engine that only this process uses. */
import type { CommitFeed, CommitFollower, FollowedCommit, KeyRange, Versionstamp } from '../contract.js';
import type { Overlay } from './overlay.js';
import { after } from './read-set.js';
import type { WriteSet } from './write-set.js';

/** Commits of more keys are delivered as the range of them, so that listing the keys doesn't hold others up. */
const MOST_KEYS = 2 ** 16;

export class LocalFollowers implements CommitFeed {
  readonly #followers = new Set<CommitFollower>();

  follow(follower: CommitFollower): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  /** To be called before a transaction commits: followers get its keys when snapshots show them. */
  note(writes: WriteSet): void {
    if (this.#followers.size === 0) return;
    writes.call((versionstamp) => {
      const commits = [followed(writes.overlay, versionstamp)];
      for (const follower of this.#followers) follower.onCommits(commits);
    });
  }
}

function followed(overlay: Overlay, versionstamp: Versionstamp): FollowedCommit {
  const isLarge = overlay.size > MOST_KEYS;
  return {
    versionstamp,
    isOwn: true,
    keys: isLarge ? [] : overlay.keys(),
    ranges: isLarge ? extentOf(overlay) : [],
  };
}

function extentOf(overlay: Overlay): KeyRange[] {
  const all = { from: '', to: '\xff'.repeat(4096) };
  const first = overlay.cursor(all).key;
  const last = overlay.cursor(all, true).key;
  return first === undefined || last === undefined ? [] : [{ from: first, to: after(last) }];
}
