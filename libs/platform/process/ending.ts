import { Logger } from '@nestjs/common';

/** Something that a process has begun and must end before it exits. */
export interface Step {
  /** The deadline, in milliseconds from the beginning of the end. */
  by: number;
  end(): Promise<unknown>;
  /** A description of what the step waits for. */
  pending(): string;
  /** Called when the step has not ended in time. */
  abandon?(): void;
}

/** The end of a process. Its steps run one after another, the last added first, each until its deadline. */
export class Ending {
  private readonly log = new Logger('Process');
  private readonly steps: Step[] = [];
  private running?: Promise<boolean>;

  add(step: Step): void {
    this.steps.push(step);
  }

  /** @returns false when a step failed or was not done in time; a line in the log says which */
  run(): Promise<boolean> {
    this.running ??= this.carryOut(performance.now());
    return this.running;
  }

  private async carryOut(began: number): Promise<boolean> {
    let isClean = true;
    for (const step of this.steps.toReversed()) {
      let timer: NodeJS.Timeout | undefined;
      const overdue = new Promise<'overdue'>((resolve) => {
        timer = setTimeout(resolve, began + step.by - performance.now(), 'overdue').unref();
      });
      try {
        if ((await Promise.race([step.end(), overdue])) !== 'overdue') continue;
        this.log.error(`Stopping: gave up after ${step.by / 1000} s waiting for ${step.pending()}`);
        step.abandon?.();
      } catch (error) {
        this.log.error(`Stopping: ${(error as Error).message}`, (error as Error).stack);
      } finally {
        clearTimeout(timer);
      }
      isClean = false;
    }
    return isClean;
  }
}
