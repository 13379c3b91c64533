/** Whole numbers below 2^32, of which more and more are added. */
export class GrowingNumbers {
  all = new Uint32Array(1_024);
  length = 0;

  push(value: number): void {
    if (this.length === this.all.length) {
      const larger = new Uint32Array(this.length * 2);
      larger.set(this.all);
      this.all = larger;
    }
    this.all[this.length++] = value;
  }
}
