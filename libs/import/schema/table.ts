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
  /** One sentence for the firm that fills it. */
  readonly about: string;
  readonly isRequired: boolean;
  /** The column itself may be absent in the source; it counts as empty then. */
  readonly mayLack: boolean;
  /** Characters at most, of text. */
  readonly length?: number;
  /** At most one record has it: it is written in one form. */
  readonly isUnique?: boolean;
  /** All values of a choice. */
  readonly values?: readonly string[];
  /** Names of the tables whose rows a reference may name. */
  readonly refersTo?: readonly string[];
}

export interface Table {
  readonly name: string;
  readonly about: string;
  readonly columns: readonly Column[];
  /** Kind of the records that its rows become, as in `<kind>_<32 hex>`; none for a part of one, or for information. */
  readonly kind?: string;
  /** It has one row. */
  readonly isSingle: boolean;
}

type Options = Partial<Pick<Column, 'isRequired' | 'mayLack'>>;

const column = (name: string, type: ColumnType, about: string, options: Partial<Column> = {}): Column => ({
  name,
  type,
  about,
  isRequired: false,
  mayLack: false,
  ...options,
});

export const required: Options = { isRequired: true };

export const text = (name: string, length: number, about: string, options?: Options): Column =>
  column(name, 'text', about, { length, ...options });

export const code = (name: string, length: number, about: string, options?: Options): Column =>
  column(name, 'text', about, { length, isUnique: true, ...options });

export const choice = (name: string, values: readonly string[], about: string, options?: Options): Column =>
  column(name, 'choice', about, { values, length: 30, ...options });

export const reference = (name: string, to: string | readonly string[], about: string, options?: Options) =>
  column(name, 'reference', about, { refersTo: typeof to === 'string' ? [to] : to, length: 100, ...options });

/** A column of any type that needs no more than its name. */
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

/** A table; its first column is the key that every row has. */
export function table(
  name: string,
  about: string,
  columns: readonly Column[],
  { kind, isSingle = false }: { kind?: string; isSingle?: boolean } = {},
): Table {
  return { name, about, columns: [importId, ...columns], kind, isSingle };
}
