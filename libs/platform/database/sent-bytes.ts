/**
 * SQL: about how many bytes a value of variable length has when it is sent, without reading the value. Of a value that
 * PostgreSQL stores compressed, it is only known that few values compress to less than a thirtieth.
 */
export function sentBytes(column: string): string {
  return `pg_column_size(${column}) * case when pg_column_compression(${column}) is null then 1 else 32 end`;
}
