/** Keeps track of elements of an array while clauses rewrite it: permissions name them by their original index. */
import type { ArrayValue } from '../value/value.js';

export interface NumberedElement<T> {
  readonly origin: number;
  readonly value: T;
}

/**
 * The original indexes of the elements of a changed array. While a record is being changed, elements of an array are
 * taken out and put back, so that the index of one may differ from that in the stored array, by which clauses identify
 * it.
 *
 * One for each write: an array may be stored as it is, and is then the one that counts.
 */
export class ElementNumbers {
  #known: WeakMap<ArrayValue, readonly number[]> | undefined;

  /** Whether an element has another number than in the stored array. */
  isMoved(items: ArrayValue): boolean {
    return this.#known?.has(items) === true;
  }

  /**
   * The place of each element, in ascending order: those of the stored array, and places behind them for what was
   * added.
   */
  of(items: ArrayValue): readonly number[] {
    return this.#known?.get(items) ?? items.map((_, index) => index);
  }

  /** Notes the places of elements, in ascending order. */
  note(items: ArrayValue, places: readonly number[]): void {
    this.#known ??= new WeakMap();
    this.#known.set(items, places);
  }

  /** The array of elements in the order of their places, which are noted. */
  inPlace(placed: readonly NumberedElement<ArrayValue[number]>[]): ArrayValue {
    const ascending = placed.toSorted((a, b) => a.origin - b.origin);
    const items = ascending.map(({ value }) => value);
    const places = ascending.map(({ origin }) => origin);
    if (places.some((origin, index) => origin !== index)) this.note(items, places);
    return items;
  }

  /** The element that comes from a place. */
  itemFrom(items: ArrayValue, origin: number): ArrayValue[number] {
    const places = this.#known?.get(items);
    if (places === undefined) return items[origin];
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[middle] as number) < origin) low = middle + 1;
      else high = middle;
    }
    return places[low] === origin ? items[low] : undefined;
  }
}
