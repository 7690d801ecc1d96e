import type { ImportView } from '#import/api/import.views';
import { loadingOf } from '#import/api/import-progress';
import type { Progress } from './progress';
import type { Session } from './session';

/** Shows an import's progress: a bar for each table while it is extracted, then one for each later step. */
export class ImportProgress {
  private bar?: Progress;
  private label?: string;

  constructor(private readonly session: Pick<Session, 'progress'>) {}

  show({ status, finishedAt, progress: { tables } }: ImportView): void {
    if (finishedAt !== null) return;
    if (status === 'Extracting') {
      for (const { name, read, total } of tables)
        if (read > 0 && total !== null && (read < total || this.label === name))
          this.draw(name, status, read, total);
      // A source may be silent for minutes before its first row; without this line the former step would still be shown.
      if (!tables.some(({ name }) => name === this.label)) this.draw(status, status, 0, undefined);
      return;
    }
    const isCounted = status === 'Loading' || status === 'Promoting';
    const { loaded, valid } = loadingOf(tables);
    this.draw(status, status, isCounted ? loaded : 0, isCounted ? valid : undefined);
  }

  /** Shows that the status cannot be read, as the database does not answer. */
  waitForDatabase(): void {
    this.draw(this.label ?? 'Import', 'waiting for the database', 0, undefined);
  }

  end(): void {
    this.bar?.end();
    this.bar = undefined;
  }

  private draw(label: string, phase: string, done: number, total: number | undefined): void {
    if (label !== this.label) {
      this.end();
      this.bar = this.session.progress(label);
      this.label = label;
    }
    this.bar?.show(phase, done, total);
  }
}
