import { Injectable } from '@nestjs/common';
import { WriteDatabase } from './database';
import { Secrets } from './secrets';

type Row = Record<string, unknown>;

/** Rows that are read at once and changed in one transaction. */
const PAGE = 500;

/** A column of sealed values. */
export interface SealedColumn {
  table: string;
  /** The columns that identify a row. */
  key: readonly string[];
  column: string;
  /**
   * The value to write instead of a stored one, as the driver reads it; undefined when SECRETS_KEY sealed it already.
   */
  reseal(secrets: Secrets, stored: unknown): unknown;
}

/** A column of text that Secrets.seal made. */
export function sealedText(table: string, key: readonly string[], column: string): SealedColumn {
  return { table, key, column, reseal: (secrets, stored) => secrets.reseal(stored as string) };
}

/** A column of the bytes of text that Secrets.seal made. */
export function sealedBytes(table: string, key: readonly string[], column: string): SealedColumn {
  const reseal = (secrets: Secrets, stored: unknown) => {
    const sealed = secrets.reseal((stored as Buffer).toString('base64url'));
    return sealed && Buffer.from(sealed, 'base64url');
  };
  return { table, key, column, reseal };
}

/** A column of keys that Secrets.wrapKey made. */
export function wrappedKeys(table: string, key: readonly string[], column: string): SealedColumn {
  return { table, key, column, reseal: (secrets, stored) => secrets.rewrapKey(stored as Buffer) };
}

/** Seals with SECRETS_KEY what other keys have sealed, so that SECRETS_KEY alone opens everything. */
@Injectable()
export class Resealing {
  constructor(
    private readonly database: WriteDatabase,
    private readonly secrets: Secrets,
  ) {}

  /**
   * Seals the values of a column anew while others read and write it. A value that was changed or destroyed meanwhile
   * stays as it is.
   * @returns how many values were sealed anew
   * @throws SecretsError when none of the keys opens a value; the values before it are sealed anew
   */
  async renew(sealed: SealedColumn): Promise<number> {
    let count = 0;
    let rows: Row[] = [];
    do {
      rows = await this.page(sealed, rows.at(-1));
      count += await this.renewed(sealed, rows);
    } while (rows.length === PAGE);
    return count;
  }

  private async page({ table, key, column }: SealedColumn, last?: Row): Promise<Row[]> {
    const keys = key.join(', ');
    const { rows } = await this.database.pool.query<Row>(
      `select ${keys}, ${column} as sealed from ${table}
       where ${column} is not null ${last ? `and (${keys}) > (${holes(key, 1)})` : ''} order by ${keys} limit ${PAGE}`,
      last && keyOf(key, last),
    );
    return rows;
  }

  private async renewed({ table, key, column, reseal }: SealedColumn, rows: readonly Row[]): Promise<number> {
    const changes = rows.flatMap((row) => {
      const value = reseal(this.secrets, row.sealed);
      return value === undefined ? [] : [[value, parameter(row.sealed), ...keyOf(key, row)]];
    });
    return this.database.transaction(async (client) => {
      let count = 0;
      for (const values of changes) {
        const { rowCount } = await client.query(
          `update ${table} set ${column} = $1 where ${column} = $2 and (${key.join(', ')}) = (${holes(key, 3)})`,
          values,
        );
        count += rowCount ?? 0;
      }
      return count;
    });
  }
}

const holes = (key: readonly string[], from: number) => key.map((_, index) => `$${from + index}`).join(', ');

const keyOf = (key: readonly string[], row: Row) => key.map((name) => row[name]);

/** A stored value as a parameter. The driver reads JSON as objects, and would write a list as a PostgreSQL array. */
function parameter(stored: unknown): unknown {
  return typeof stored === 'object' && !Buffer.isBuffer(stored) ? JSON.stringify(stored) : stored;
}
