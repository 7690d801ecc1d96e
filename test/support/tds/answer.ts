import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Dropped, type Faults, RowFaults, SqlError } from './faults';
import { messageTypes, PacketCutter } from './packets';
import { type Plan, planOf } from './plan';
import type { Statement } from './requests';
import { RowEncoder } from './row-encoder';
import { selectOf } from './select';
import type { SourceClient } from './source-client';
import { columnsToken, doneStatus, doneToken, messageToken, returnStatusToken } from './tokens';

interface AnswerOptions {
  channel: Duplex;
  packetSize: number;
  source: SourceClient;
  faults: Faults;
  /** Aborted when nobody needs the rest. */
  signal: AbortSignal;
}

/** The message that answers a statement. Rows are read from PostgreSQL no faster than the client reads them. */
export class Answer {
  private readonly cutter: PacketCutter;

  constructor(private readonly options: AnswerOptions) {
    this.cutter = new PacketCutter(messageTypes.result, options.packetSize);
  }

  /** @throws {Dropped} when the connection must end */
  async give(statement: Statement): Promise<void> {
    const { signal } = this.options;
    try {
      const rows = await this.rowsOf(statement);
      await this.finish(endOf(statement, rows));
    } catch (error) {
      if (error instanceof Dropped) {
        await this.write(this.cutter.flush());
        throw error;
      }
      if (signal.aborted) return this.finish(doneToken('batch', doneStatus.hasError));
      await this.finish(Buffer.concat([tokenOf(error), failedEnd(statement)]));
    }
  }

  /** @returns the number of rows; undefined for a statement without rows */
  private async rowsOf(statement: Statement): Promise<number | undefined> {
    const { faults, source } = this.options;
    const select = selectOf(statement);
    if (select.kind === 'setting') return undefined;
    const seen = async () => {
      const columns = await source.columns(faults);
      return select.kind === 'columns'
        ? columns.filter((one) => !faults.denied?.includes(one.table))
        : columns;
    };
    const plan = planOf(select, select.kind === 'one' ? [] : await seen());
    const table = 'table' in select ? select.table : '';
    if (faults.denied?.includes(table)) throw denied(table);
    return this.stream(plan, new RowFaults(faults, select.kind === 'rows' ? table : ''));
  }

  private async stream(plan: Plan, faults: RowFaults): Promise<number> {
    const { source, signal } = this.options;
    const leave = () => void source.close(); // even before the first row
    signal.addEventListener('abort', leave);
    try {
      return await this.sendRows(plan, faults);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  private async sendRows({ columns, sql, value }: Plan, faults: RowFaults): Promise<number> {
    const encoder = new RowEncoder(columns);
    await this.write(this.cutter.cut(columnsToken(columns)));
    let rows = await this.sendEncoded(encoder, 0, faults);
    for await (const chunk of this.options.source.copy(sql, value)) {
      encoder.push(chunk);
      rows = await this.sendEncoded(encoder, rows, faults);
    }
    return rows;
  }

  /** @returns the number of rows sent so far */
  private async sendEncoded(encoder: RowEncoder, sent: number, faults: RowFaults): Promise<number> {
    const { signal } = this.options;
    for (let rows = sent; ; ) {
      signal.throwIfAborted();
      const room = faults.room(rows);
      const taken = encoder.take(room);
      rows += taken.rows;
      await this.write(this.cutter.cut(taken.bytes));
      if (taken.rows < room) return rows;
      await this.write(this.cutter.flush());
      faults.happen(rows);
      await delay(10, undefined, { signal }); // stalled until the fault is removed
    }
  }

  private finish(tokens: Buffer): Promise<void> {
    return this.write(this.cutter.end(tokens));
  }

  private async write(packets: Buffer): Promise<void> {
    const { channel, signal } = this.options;
    if (packets.length === 0 || channel.write(packets) || signal.aborted) return;
    await once(channel, 'drain', { signal });
  }
}

function endOf({ isProcedure }: Statement, rows: number | undefined): Buffer {
  const counted = rows === undefined ? doneStatus.final : doneStatus.hasCount;
  if (!isProcedure) return doneToken('batch', counted, rows);
  const isMore = 0x01;
  return Buffer.concat([
    doneToken('inProcedure', counted | isMore, rows),
    returnStatusToken(0),
    doneToken('procedure', doneStatus.final),
  ]);
}

const failedEnd = ({ isProcedure }: Statement) =>
  doneToken(isProcedure ? 'procedure' : 'batch', doneStatus.hasError);

const denied = (table: string) =>
  new SqlError(
    229,
    `The SELECT permission was denied on the object '${table}', database 'source', schema 'etl'.`,
    14,
  );

/** Shows PostgreSQL's errors, too, so that a test that fails on one can be understood. */
function tokenOf(error: unknown): Buffer {
  const { number = 50_000, level = 16, message } = error as Partial<SqlError> & Error;
  return messageToken({ number, level, text: message });
}
