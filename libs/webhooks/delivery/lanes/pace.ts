/** How quickly a receiver answers. Times are by performance.now, in milliseconds. */
export class Pace {
  /** Attempts that have not ended. */
  underWay = 0;
  /** Moving average of what an attempt takes. */
  average = 5;
  /** When an attempt last ended, or the first of those under way began. */
  private movedAt = 0;

  began(at: number): void {
    if (this.underWay++ === 0) this.movedAt = at;
  }

  ended(milliseconds: number): void {
    this.underWay--;
    this.movedAt = performance.now();
    this.average += (milliseconds - this.average) / 8;
  }

  /** Whether attempts take longer than this, as far as those that ended tell, or those that do not end. */
  isSlower(than: number, at: number): boolean {
    return this.average > than || (this.underWay > 0 && at - this.movedAt > than);
  }
}
