/** Turns what a full-text index finds into candidates, each with its score and what is left to be verified. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { IndexNote } from '../../functions/calls/contract.js';
import type { Candidate, Candidates } from '../../runtime/candidates.js';
import type { Matches } from '../../search/query/matches.js';
import type { Match } from '../../search/query/window-scan.js';
import { decodeKey } from '../../value/codecs/key-codec.js';
import type { RecordKey } from '../../value/value.js';

/** What a full-text index finds, with the condition that each meets. */
export class MatchCandidates implements Candidates {
  constructor(
    private readonly matches: Matches,
    private readonly condition: object,
    /** The number of the condition, where scores are asked for. */
    private readonly reference: number | undefined,
    /** Whether the texts of those that are found have to be looked at. */
    private readonly isUncertain: boolean,
  ) {}

  next(): PromiseOrValue<readonly Candidate[] | undefined> {
    return andThen(this.matches.next(), (batch) => batch?.map((match) => this.#candidate(match)));
  }

  #candidate({ key, score }: Match): Candidate {
    const { condition, reference, isUncertain } = this;
    const note: IndexNote = {
      condition,
      scan: this,
      ...(reference !== undefined && { scores: new Map([[reference, score]]) }),
      ...(isUncertain && { isUncertain }),
    };
    return { key: decodeKey(key).value as RecordKey, note };
  }

  close(): void {
    // Nothing is held open.
  }
}
