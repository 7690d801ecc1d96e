/**
 * SQL: bytes that a value of variable length comes to once it is sent, without looking into it. Of what PostgreSQL keeps
 * compressed it is only known that little is compressed to less than a thirtieth.
 */
export function sentBytes(column: string): string {
  return `pg_column_size(${column}) * case when pg_column_compression(${column}) is null then 1 else 32 end`;
}
