import { Injectable } from '@nestjs/common';
import { WriteDatabase } from './database';
import { Secrets } from './secrets';

type Row = Record<string, unknown>;

/** Rows that are read at once, and changed in one transaction. */
const PAGE = 500;

/** A column of sealed values. */
export interface SealedColumn {
  table: string;
  /** Columns that tell its rows apart. */
  key: readonly string[];
  column: string;
  /** Of what the driver reads: what to write instead; undefined when SECRETS_KEY has sealed it. */
  reseal(secrets: Secrets, stored: unknown): unknown;
}

/** As Secrets.seal gives it. */
export function sealedText(table: string, key: readonly string[], column: string): SealedColumn {
  return { table, key, column, reseal: (secrets, stored) => secrets.reseal(stored as string) };
}

/** The bytes of that. */
export function sealedBytes(table: string, key: readonly string[], column: string): SealedColumn {
  const reseal = (secrets: Secrets, stored: unknown) => {
    const sealed = secrets.reseal((stored as Buffer).toString('base64url'));
    return sealed && Buffer.from(sealed, 'base64url');
  };
  return { table, key, column, reseal };
}

/** As Secrets.wrapKey gives it. */
export function wrappedKeys(table: string, key: readonly string[], column: string): SealedColumn {
  return { table, key, column, reseal: (secrets, stored) => secrets.rewrapKey(stored as Buffer) };
}

/** Brings what other keys have sealed to SECRETS_KEY, so that it opens everything alone. */
@Injectable()
export class Resealing {
  constructor(
    private readonly database: WriteDatabase,
    private readonly secrets: Secrets,
  ) {}

  /**
   * Goes through a column while others read and write it: a value that was changed or destroyed meanwhile stays so.
   * @returns how many values were sealed anew
   * @throws SecretsError when none of the keys opens one; what comes before it is sealed anew
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

/** The driver reads JSON as objects, and would write a list as an array of PostgreSQL. */
function parameter(stored: unknown): unknown {
  return typeof stored === 'object' && !Buffer.isBuffer(stored) ? JSON.stringify(stored) : stored;
}
