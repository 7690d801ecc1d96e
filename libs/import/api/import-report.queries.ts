import type { Readable } from 'node:stream';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import Negotiator from 'negotiator';
import { notFound } from '#kernel/errors';
import { WriteDatabase } from '#platform/database';
import { data, Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { csvOf } from './csv';
import type { ReportQuery } from './import.input';
import type { FindingView, TotalView } from './import-report.views';

export class GetReport {
  constructor(
    readonly context: RequestContext,
    readonly requestId: string,
    readonly query: ReportQuery,
    readonly accept: string | undefined,
  ) {}
}

type FindingRow = FindingView & { id: string };
type Values = unknown[];

const CSV = 'text/csv; charset=utf-8; header=present';
/** Caches may reuse an answer only for requests with the same Accept (RFC 9110, section 12.5.5). */
const VARIES = { Vary: 'Accept' };
const CSV_PAGE = 1_000;
const findingColumns = ['severity', 'code', 'table', 'importId', 'column', 'message'] as const;
const totalColumns = [
  ...([
    'measure',
    'groupBy',
    'groupKey',
    'sourceCount',
    'sourceAmount',
    'controlCount',
    'controlAmount',
  ] as const),
  ...(['loadedCount', 'loadedAmount'] as const),
];

const FINDING =
  'severity, code, table_name as "table", import_id as "importId", column_name as "column", message';
const OF_FINDINGS = `from import.findings
  where request_id = $1 and ($2::text is null or severity = $2) and ($3::text is null or code = $3)
    and ($4::text is null or table_name = $4)`;
/** SQL: an amount as text with at least two decimals, so that equal amounts of the three sides are equal texts. */
const amountText = (column: string) => `round(${column}, greatest(min_scale(${column}), 2))::text`;
const TOTALS = `select measure, group_by as "groupBy", nullif(group_key, '') as "groupKey",
    source_count::float8 as "sourceCount", ${amountText('source_amount')} as "sourceAmount",
    control_count::float8 as "controlCount", ${amountText('control_amount')} as "controlAmount",
    loaded_count::float8 as "loadedCount", ${amountText('loaded_amount')} as "loadedAmount"
  from import.totals where request_id = $1`;
const GROUPS = ['Total', 'Table', 'Matter', 'FeeEarner'];
const ORDER = `order by array_position(array['${GROUPS.join("', '")}'], group_by), measure, group_key`;

@QueryHandler(GetReport)
export class GetReportHandler implements IQueryHandler<GetReport> {
  constructor(private readonly database: WriteDatabase) {}

  /** A page of the report as JSON, or all of it as CSV. @throws DomainError `not_found` */
  async execute({ context, requestId, query, accept }: GetReport): Promise<Reply> {
    await this.requireOwn(context, requestId);
    const { part = 'findings', severity = null, code = null, table = null } = query;
    const isFindings = part === 'findings';
    const sql = isFindings ? `select ${FINDING} ${OF_FINDINGS} order by severity, id` : `${TOTALS} ${ORDER}`;
    const values = isFindings ? [requestId, severity, code, table] : [requestId];
    if (wantsCsv(accept))
      return csvReply(
        `import-${requestId}-${part}.csv`,
        isFindings
          ? csvOf(findingColumns, this.findings(values))
          : csvOf(totalColumns, this.totals(requestId)),
      );
    const { pageIndex = 0, pageSize = 50 } = query;
    const [rows, totals] = await Promise.all([
      this.page(sql, values, pageSize + 1, pageIndex * pageSize),
      this.page(`${TOTALS} and group_by in ('Total', 'Table') ${ORDER}`, [requestId], CSV_PAGE, 0),
    ]);
    const hasMore = rows.length > pageSize;
    return data({ rows: rows.slice(0, pageSize), pageIndex, pageSize, hasMore, totals }, VARIES);
  }

  private async requireOwn({ tenant }: RequestContext, requestId: string): Promise<void> {
    const { rowCount } = await this.database.pool.query(
      'select from import.requests where id = $1 and tenant_id = $2',
      [requestId, tenant.id],
    );
    if (rowCount === 0) throw notFound('import');
  }

  /** All findings. Each page begins after the last key of the one before, so that every finding is read only once. */
  private async *findings([requestId, severity, code, table]: Values): AsyncGenerator<FindingRow[]> {
    for (const one of severity === null ? ['error', 'warning'] : [severity])
      for (let after = '0', size = CSV_PAGE; size === CSV_PAGE; ) {
        const rows = await this.page<FindingRow>(
          `select id, ${FINDING} ${OF_FINDINGS} and id > $5 order by id`,
          [requestId, one, code, table, after],
          CSV_PAGE,
        );
        yield rows;
        size = rows.length;
        after = rows.at(-1)?.id ?? after;
      }
  }

  /** All totals, paged in the same way within each group. */
  private async *totals(requestId: string): AsyncGenerator<TotalView[]> {
    for (const group of GROUPS)
      for (let after = ['', ''], size = CSV_PAGE; size === CSV_PAGE; ) {
        const rows = await this.page<TotalView>(
          // The columns of the key, so that a page begins where it is in the index.
          `${TOTALS} and group_by = $2 and (measure, group_by, group_key) > ($3, $2, $4) order by measure, group_key`,
          [requestId, group, ...after],
          CSV_PAGE,
        );
        yield rows;
        size = rows.length;
        after = rows.slice(-1).flatMap(({ measure, groupKey }) => [measure, groupKey ?? '']);
      }
  }

  private async page<Row extends object>(
    sql: string,
    values: Values,
    limit: number,
    offset = 0,
  ): Promise<Row[]> {
    const at = values.length;
    const text = `${sql} limit $${at + 1} offset $${at + 2}`;
    return (await this.database.pool.query<Row>(text, [...values, limit, offset])).rows;
  }
}

function csvReply(filename: string, body: Readable): Reply {
  return new Reply(200, body, {
    ...VARIES,
    'Content-Type': CSV,
    'Content-Disposition': `attachment; filename="${filename}"`,
    'X-Content-Type-Options': 'nosniff',
  });
}

/** The forms in which Accept may name a media type: alone, or with the charset. */
const named = (type: string) => [type, `${type}; charset=utf-8`];
const jsonTypes = named('application/json');
const csvTypes = [...named('text/csv'), 'text/csv; header=present', CSV];

/**
 * Whether the client prefers CSV to JSON (RFC 9110, section 12.5.1). Of equal preferences the type that is named first wins,
 * and JSON when neither is named.
 */
export function wantsCsv(accept = '*/*'): boolean {
  const type = new Negotiator({ headers: { accept } }).mediaType([...jsonTypes, ...csvTypes]);
  return type !== undefined && csvTypes.includes(type);
}
