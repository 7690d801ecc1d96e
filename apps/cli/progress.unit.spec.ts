import { Writable } from 'node:stream';
import { barOn, linesTo } from './progress';

describe('progress', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  describe('in lines', () => {
    let lines: string[];
    const open = () => linesTo((line) => lines.push(line), 'matters');

    beforeEach(() => {
      lines = [];
    });

    it('shows each phase at once, and how far it is every five seconds', () => {
      const progress = open();
      progress.show('filling', 0, undefined);
      for (let second = 1; second <= 12; second++) {
        jest.advanceTimersByTime(1000);
        progress.show('filling', second * 1000, 20_000);
      }
      progress.show('indexing', 12_000, 20_000);
      progress.show('catching up', 20_000, 20_000);
      progress.end();
      expect(lines).toEqual([
        'matters: filling',
        'matters: filling, 5000 of 20000 (25 %), 1000/s, 15 s left',
        'matters: filling, 10000 of 20000 (50 %), 1000/s, 10 s left',
        'matters: indexing, 12000 of 20000 (60 %), 1000/s, 8 s left',
        'matters: catching up, 20000 of 20000 (100 %), 1667/s, 0 s left',
      ]);
    });

    it('shows no nonsense when there is nothing to do', () => {
      const progress = open();
      progress.show('filling', 0, 0);
      jest.advanceTimersByTime(1);
      progress.show('indexing', 0, 0);
      expect(lines).toEqual(['matters: filling, 0, 0/s, - left', 'matters: indexing, 0, 0/s, - left']);
    });
  });

  describe('on a screen', () => {
    /** A terminal that keeps everything that is drawn on it. */
    class Screen extends Writable {
      readonly isTTY = true;
      readonly columns = 200;
      drawn = '';

      override _write(chunk: Buffer, _: string, done: () => void): void {
        this.drawn += chunk.toString();
        done();
      }
      cursorTo(): boolean {
        return true;
      }
      moveCursor(): boolean {
        return true;
      }
      clearLine(): boolean {
        return true;
      }
    }

    it('draws a bar with percentage, rate and time left, and ends its line', () => {
      const screen = new Screen();
      const progress = barOn(screen, 'matters');
      progress.show('filling', 0, undefined);
      jest.advanceTimersByTime(2000);
      progress.show('filling', 5000, 20_000);
      jest.advanceTimersByTime(2000);
      expect(screen.drawn).toMatch(
        /matters \[=+-+\] 25 % \| 5000 of 20000 \| 2,500\/s \| 6 s left \| filling/,
      );
      progress.show('catching up', 20_000, 20_000);
      progress.end();
      expect(screen.drawn).toMatch(
        /matters \[=+\] 100 % \| 20000 of 20000 \| 5,000\/s \| 0 s left \| catching up/,
      );
      expect(screen.drawn.trimEnd()).not.toBe(screen.drawn);
      expect(jest.getTimerCount()).toBe(0);
    });

    it('shows a phase without a count, and does not say that it is done', () => {
      const screen = new Screen();
      barOn(screen, 'Validating').show('checking', 0, undefined);
      jest.advanceTimersByTime(2000);
      expect(screen.drawn).toMatch(/Validating \[-+\] checking/);
      expect(screen.drawn).not.toContain('%');
    });

    it('leaves the terminal as it was, even when it never comes to its end', () => {
      const screen = new Screen();
      barOn(screen, 'matters').show('filling', 1, 2);
      // A hidden cursor or disabled line wrapping would outlive Ctrl-C.
      expect(screen.drawn).not.toContain('\u001b[?');
    });

    it('stays within the width of the terminal', () => {
      const screen = Object.assign(new Screen(), { columns: 40 });
      barOn(screen, 'matters').show('filling', 1, 2);
      const [drawn] = screen.drawn.split('\u001b[1G')[1].split('\u001b');
      expect(drawn).toMatch(/^matters \[.{31}$/);
    });
  });
});
