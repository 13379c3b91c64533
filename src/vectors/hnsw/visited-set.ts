/** A set of small numbers that is emptied at once. */
export class VisitedSet {
  #marks = new Uint32Array(64);
  #round = 1;

  clear(): void {
    this.#round++;
    if (this.#round < 2 ** 32) return;
    this.#marks.fill(0);
    this.#round = 1;
  }

  has(slot: number): boolean {
    return this.#marks[slot] === this.#round;
  }

  add(slot: number): void {
    if (slot >= this.#marks.length) {
      const marks = new Uint32Array(Math.max(slot + 1, 2 * this.#marks.length));
      marks.set(this.#marks);
      this.#marks = marks;
    }
    this.#marks[slot] = this.#round;
  }
}
