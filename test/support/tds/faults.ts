/** After a number of rows of a table. */
interface AtRow {
  table: string;
  afterRows: number;
}

/** What goes wrong. Each fault lasts until it is set to undefined or has happened the given number of times. */
export interface Faults {
  /** Connections are reset as soon as they are open. */
  refuseConnections?: boolean;
  /** Nothing is ever answered. */
  silent?: boolean;
  /** The server says that it does not support encryption, whatever the client wants. */
  noEncryption?: boolean;
  /** The number of an error that answers a login, such as 18456, 4060 or 40613. */
  refuseLogin?: { number: number; times?: number };
  /** The connection ends after these rows were sent. */
  drop?: AtRow & { times?: number };
  /** Nothing is sent after these rows until the fault is removed. */
  stall?: AtRow;
  /** An error, such as 1205 or 40613, instead of an answer or after rows of it. */
  error?: { number: number; table: string; afterRows?: number; times?: number };
  /** Tables and columns that do not exist, such as `WorkItem` or `WorkItem.Rate`. */
  missing?: readonly string[];
  /** Tables that the login may not read. */
  denied?: readonly string[];
}

/** An error of SQL Server. @see https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors */
export class SqlError extends Error {
  constructor(
    readonly number: number,
    message: string,
    readonly level = 16,
  ) {
    super(message);
  }
}

/** The connection must end at once. */
export class Dropped extends Error {}

export function errorOf(number: number, name = ''): SqlError {
  switch (number) {
    case 1205:
      return new SqlError(
        number,
        'Transaction (Process ID 51) was deadlocked on lock resources with another process and has been chosen as the deadlock victim. Rerun the transaction.',
        13,
      );
    case 4060:
      return new SqlError(
        number,
        `Cannot open database "${name}" requested by the login. The login failed.`,
        11,
      );
    case 18456:
      return new SqlError(number, `Login failed for user '${name}'.`, 14);
    case 40613:
      return new SqlError(
        number,
        `Database '${name}' on server 'tds-test' is not currently available. Please retry the connection later.`,
        17,
      );
    default:
      return new SqlError(number, `Error ${number}.`);
  }
}

/** The faults of the rows of one answer. */
export class RowFaults {
  constructor(
    private readonly faults: Faults,
    private readonly table: string,
  ) {}

  /** How many more rows may be sent before a fault happens. */
  room(rows: number): number {
    const { drop, stall, error } = this.faults;
    const limits = [drop, stall, error].flatMap((fault) =>
      fault && fault.table === this.table && (!('times' in fault) || fault.times !== 0)
        ? [Math.max(0, (fault.afterRows ?? 0) - rows)]
        : [],
    );
    return Math.min(Number.POSITIVE_INFINITY, ...limits);
  }

  /** @throws {Dropped | SqlError} unless the answer only has to wait */
  happen(rows: number): void {
    const { drop, error } = this.faults;
    if (this.isDue(error, rows)) throw errorOf(error.number, 'source');
    if (this.isDue(drop, rows)) throw new Dropped();
  }

  private isDue<Fault extends { table: string; afterRows?: number; times?: number }>(
    fault: Fault | undefined,
    rows: number,
  ): fault is Fault {
    if (fault?.table !== this.table || fault.times === 0 || rows < (fault.afterRows ?? 0)) return false;
    if (fault.times !== undefined) fault.times--;
    return true;
  }
}
