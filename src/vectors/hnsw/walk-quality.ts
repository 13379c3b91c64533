/**
 * Whether walks through a graph find what is nearest. Among vectors of many numbers that are about as far from each
 * other no way leads to the nearest: then measuring all is better, which takes longer.
 *
 * Of a walk that found n vectors up to some distance, a sample of one in so many of all vectors shows how many there
 * are: n times that share, and as many more as the walk missed. One sample says that only roughly, several together
 * rather exactly.
 */

/** Walks are poor if they find less than this share of what there is up to where they end. */
const LEAST_SHARE = 0.8;
/** What samples show by chance: so many times the square root of what is to be expected, and so many more. */
const CHANCE = { deviations: 4, beside: 4 };
/** Once so many were shown, most searches no longer need a sample. */
const ENOUGH = 256;
/** One in so many searches is sampled then; of a poor graph, one in so many walks. */
const SELDOM = 16;
/** Of so many half are forgotten, since vectors change. */
const MOST = 1_024;

export class WalkQuality {
  /** How many the samples would have shown if nothing had been missed, and how many they have shown. */
  #expected = 0;
  #shown = 0;
  #searches = 0;

  /** Whether the next search is better done by measuring all. */
  wantsAllMeasured(): boolean {
    return this.#isPoor && ++this.#searches % SELDOM > 0;
  }

  /** Whether the walk just made is to be sampled. */
  wantsSample(): boolean {
    return this.#shown < ENOUGH || this.#isPoor || ++this.#searches % SELDOM === 0;
  }

  /** Notes a sample; answers whether that walk was poor, or walks are. */
  note(expected: number, shown: number): boolean {
    if (this.#shown > MOST) {
      this.#expected /= 2;
      this.#shown /= 2;
    }
    this.#expected += expected;
    this.#shown += shown;
    return isPoor(expected, shown) || this.#isPoor;
  }

  get #isPoor(): boolean {
    return isPoor(this.#expected, this.#shown);
  }
}

/** Whether a sample shows more than it does by chance of a walk that finds enough. */
function isPoor(expected: number, shown: number): boolean {
  const usual = expected / LEAST_SHARE;
  return shown > usual + CHANCE.deviations * Math.sqrt(usual) + CHANCE.beside;
}
