/** Random draws that are the same for the same seed (Mulberry32). Its 2^32 states suffice for made-up names. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed | 0;
  }

  /** A number from 0 to below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number, with both limits included. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  between(from: number, to: number): number {
    return from + this.next() * (to - from);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.next() * items.length)];
  }

  /** An item of a list, each with its chance. The last item also gets whatever the chances leave of 1. */
  weighted<Item>(items: readonly (readonly [share: number, item: Item])[]): Item {
    let rest = this.next();
    for (const [share, item] of items) {
      if (rest < share) return item;
      rest -= share;
    }
    return items[items.length - 1][1];
  }

  /** Log-normal: half of the draws are below the median, few are far above. */
  skewed(median: number, spread: number): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
    return median * Math.exp(spread * normal);
  }
}
