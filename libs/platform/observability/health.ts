import { Injectable } from '@nestjs/common';

/** What a part of the process has to say about itself, in short lines; none when all is well. */
export type HealthWatch = () => Promise<string[]>;

/** Where the parts of a process report what is wrong but does not keep it from working. */
@Injectable()
export class Health {
  private readonly watches: HealthWatch[] = [];

  watch(watch: HealthWatch): void {
    this.watches.push(watch);
  }

  /** What is degraded now. */
  async degraded(): Promise<string[]> {
    return (await Promise.all(this.watches.map((watch) => watch()))).flat();
  }
}
