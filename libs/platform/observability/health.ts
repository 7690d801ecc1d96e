import { Injectable } from '@nestjs/common';

/** Reports the problems of a part of the process, in short lines; none when all is well. */
export type HealthWatch = () => Promise<string[]>;

/** Collects problems that the parts of a process report and that do not keep it from working. */
@Injectable()
export class Health {
  private readonly watches: HealthWatch[] = [];

  watch(watch: HealthWatch): void {
    this.watches.push(watch);
  }

  /** The current problems. */
  async degraded(): Promise<string[]> {
    return (await Promise.all(this.watches.map((watch) => watch()))).flat();
  }
}
