const EVERY_MS = 60_000;

/**
 * Lines of the log whose cause may come back many times a second. Each is written once a minute at most: more of them would
 * hide all other lines.
 */
export class Reminders {
  /** By line: when it was last written, on performance.now. */
  private readonly writtenAt = new Map<string, number>();

  constructor(private readonly write: (line: string) => void) {}

  tell(line: string): void {
    const now = performance.now();
    if (now - (this.writtenAt.get(line) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return;
    this.write(line);
    this.writtenAt.set(line, now);
  }
}
