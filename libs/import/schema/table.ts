import type { Kind } from '#kernel/ids';

/** How a source's column is read, checked and stored. */
export type ColumnType =
  | 'key'
  | 'reference'
  | 'text'
  | 'choice'
  | 'currency'
  | 'money'
  | 'rate'
  | 'quantity'
  | 'percent'
  | 'ticks'
  | 'integer'
  | 'boolean'
  | 'date'
  | 'instant';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** A sentence for the firm that fills the column. */
  readonly about: string;
  readonly isRequired: boolean;
  /** The source's table may lack the column, which then counts as empty. */
  readonly mayLack: boolean;
  /** Maximum length of a text, in characters. */
  readonly length?: number;
  /** At most one record may have the value, so it must be written in a normal form. */
  readonly isUnique?: boolean;
  /** The allowed values of a choice. */
  readonly values?: readonly string[];
  /** Names of the tables to whose rows a reference may refer. */
  readonly refersTo?: readonly string[];
  /** The row is a part of the row to which it refers, or charges it. It cannot refer to a record of the tenant. */
  readonly isOfRow?: boolean;
}

export interface Table {
  readonly name: string;
  readonly about: string;
  readonly columns: readonly Column[];
  /** Kind of the records that the rows become, as in `<kind>_<32 hex>`; undefined for parts of records, and for Info. */
  readonly kind?: Kind;
}

type Options = Partial<Pick<Column, 'isRequired' | 'mayLack' | 'isOfRow'>>;

const column = (name: string, type: ColumnType, about: string, options: Partial<Column> = {}): Column => ({
  name,
  type,
  about,
  isRequired: false,
  mayLack: false,
  ...options,
});

export const required: Options = { isRequired: true };
export const ofRow: Options = { isOfRow: true };

export const text = (name: string, length: number, about: string, options?: Options): Column =>
  column(name, 'text', about, { length, ...options });

export const code = (name: string, length: number, about: string, options?: Options): Column =>
  column(name, 'text', about, { length, isUnique: true, ...options });

export const choice = (name: string, values: readonly string[], about: string, options?: Options): Column =>
  column(name, 'choice', about, { values, length: 30, ...options });

export const reference = (name: string, to: string | readonly string[], about: string, options?: Options) =>
  column(name, 'reference', about, { refersTo: typeof to === 'string' ? [to] : to, length: 100, ...options });

/** Declares a column of a type that needs no further properties. */
export const plain = (
  type: Exclude<ColumnType, 'key' | 'reference' | 'text' | 'choice'>,
  name: string,
  about: string,
  options?: Options,
): Column => column(name, type, about, options);

const importId = column('ImportId', 'key', "The row's key in the source system; unique in this table.", {
  isRequired: true,
  length: 100,
});

/** Declares a table. Its first column, the key ImportId, is added. */
export function table(
  name: string,
  about: string,
  columns: readonly Column[],
  { kind }: Pick<Table, 'kind'> = {},
): Table {
  return { name, about, columns: [importId, ...columns], kind };
}
