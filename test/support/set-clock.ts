import { Clock } from '#kernel/clock';

/** A clock that stands still until it is set or advanced. */
export class SetClock extends Clock {
  constructor(public at: Date) {
    super();
  }

  now(): Date {
    return this.at;
  }

  advance(seconds: number): void {
    this.at = new Date(this.at.getTime() + seconds * 1000);
  }
}
