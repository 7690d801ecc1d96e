import { SingleBar } from 'cli-progress';

const LINE_EVERY_MS = 5_000;

/** Shows the progress of some work. */
export interface Progress {
  /** @param total undefined while the total is unknown */
  show(phase: string, done: number, total: number | undefined): void;
  end(): void;
}

/** A progress bar with percentage, rate and remaining time, redrawn in place. */
export function barOn(screen: NodeJS.WritableStream, label: string): Progress {
  const bar = new SingleBar({
    stream: screen,
    format: `${label} [{bar}] {share}{phase}`,
    // `true` leaves the terminal's modes alone, as Ctrl-C leaves no time to restore them; lines are cut at its width instead.
    linewrap: true,
    forceRedraw: true,
  });
  const pace = new Pace();
  bar.start(1, 0, { phase: '', share: '' });
  return {
    show(phase, done, total) {
      const { rate, left } = pace.at(done, total);
      const amounts = `${done} of ${total} | ${rate.toLocaleString('en')}/s | ${left} left`;
      // Without a total the bar is empty: a full one would say that the work is done.
      const share = total ? `${Math.floor((done / total) * 100)} % | ${amounts} | ` : '';
      bar.setTotal(total || 1);
      bar.update(total ? done : 0, { phase, share });
    },
    end: () => bar.stop(),
  };
}

/** Prints a line at the start of each phase and every few seconds, with amounts when something is counted. */
export function linesTo(print: (line: string) => void, label: string): Progress {
  const pace = new Pace();
  let last = { phase: '', at: 0 };
  return {
    show(phase, done, total) {
      if (phase === last.phase && Date.now() - last.at < LINE_EVERY_MS) return;
      last = { phase, at: Date.now() };
      const step = phase === label ? label : `${label}: ${phase}`;
      if (total === undefined && done === 0) return print(step);
      const { rate, left } = pace.at(done, total);
      const share = total ? ` of ${total} (${Math.floor((done / total) * 100)} %)` : '';
      print(`${step}, ${done}${share}, ${rate}/s, ${left} left`);
    },
    end: () => undefined,
  };
}

class Pace {
  private readonly startedAt = Date.now();

  at(done: number, total: number | undefined): { rate: number; left: string } {
    const rate = Math.round((done * 1000) / Math.max(1, Date.now() - this.startedAt));
    const left = total === undefined || rate === 0 ? '-' : `${Math.ceil((total - done) / rate)} s`;
    return { rate, left };
  }
}
