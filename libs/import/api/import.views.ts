import { ApiProperty } from '@nestjs/swagger';
import { type ImportStatus, promotable, type RequestRow, statuses } from '../requests/import-request';
import { SCHEMA_VERSION } from '../schema/schema-1.0';
import { exampleRequest } from './import.input';
import { percentOf } from './import-progress';

const nullableText = { type: String, nullable: true } as const;
const nullableInstant = { ...nullableText, format: 'date-time' } as const;

/** Body of the answer 202 to a request that a worker carries out. */
export class AcceptedView {
  @ApiProperty({ example: true })
  success: boolean;

  @ApiProperty({ example: 'Import request queued successfully.' })
  message: string;

  @ApiProperty({ format: 'uuid', example: exampleRequest })
  requestId: string;
}

/** Row counts of a table. */
export class TableView {
  @ApiProperty({ example: 'WorkItem' })
  name: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'How many rows the source has, by its own count; null before it is known.',
    example: 1200,
  })
  total: number | null;

  @ApiProperty({ type: 'integer', example: 1200 })
  read: number;

  @ApiProperty({ type: 'integer', description: 'How many rows have no error.', example: 1198 })
  valid: number;

  @ApiProperty({ type: 'integer', example: 2 })
  rejected: number;

  @ApiProperty({
    type: 'integer',
    description: 'How many rows have been loaded into the staging tenant.',
    example: 0,
  })
  loaded: number;
}

export class ProgressView {
  @ApiProperty({
    type: 'integer',
    description:
      'The progress over all steps, in percent. It is 100 as soon as the import has ended, whatever the outcome.',
    example: 40,
  })
  percent: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The speed of the present step, in rows per second.',
    example: 8500,
  })
  rowsPerSecond: number | null;

  @ApiProperty({ type: [TableView] })
  tables: TableView[];
}

export class ValidationView {
  @ApiProperty({ type: 'integer', example: 2 })
  errors: number;

  @ApiProperty({ type: 'integer', example: 0 })
  warnings: number;

  @ApiProperty({ example: `/demo/api/v1/etl/import-report/${exampleRequest}` })
  reportUrl: string;
}

/** The status of an import. */
export class ImportView {
  @ApiProperty({ example: true })
  success: boolean;

  @ApiProperty({ format: 'uuid', example: exampleRequest })
  requestId: string;

  @ApiProperty({ enum: ['Import', 'Promotion'], example: 'Import' })
  kind: 'Import' | 'Promotion';

  @ApiProperty({ enum: statuses, example: 'Extracting' })
  status: ImportStatus;

  @ApiProperty({
    description: 'What the import does at present, or why it has ended.',
    example: 'Reading the tables.',
  })
  message: string;

  @ApiProperty({ ...nullableText, example: SCHEMA_VERSION })
  schemaVersion: string | null;

  @ApiProperty({ format: 'date-time' })
  queuedAt: string;

  @ApiProperty(nullableInstant)
  startedAt: string | null;

  @ApiProperty({ format: 'date-time' })
  updatedAt: string;

  @ApiProperty(nullableInstant)
  finishedAt: string | null;

  @ApiProperty()
  progress: ProgressView;

  @ApiProperty()
  validation: ValidationView;

  @ApiProperty({
    ...nullableText,
    description:
      'The alias of the staging tenant, under which the loaded records can be read; null while there is none.',
    example: 'demo--staging',
  })
  stagingTenant: string | null;

  @ApiProperty({ description: 'Whether it can be promoted to production.', example: false })
  canPromote: boolean;
}

/** A finding: something that is wrong with the data. */
export class FindingView {
  @ApiProperty({ enum: ['error', 'warning'], example: 'error' })
  severity: 'error' | 'warning';

  @ApiProperty({
    description: 'The kind of finding, for programs. A code never changes its meaning.',
    example: 'not_found',
  })
  code: string;

  @ApiProperty({ example: 'WorkItem' })
  table: string;

  @ApiProperty({
    ...nullableText,
    description: 'The ImportId of the row; null when the finding is about the whole table.',
    example: 'W-1',
  })
  importId: string | null;

  @ApiProperty({
    ...nullableText,
    description: 'The column; null when the finding is about the whole row.',
    example: 'MatterId',
  })
  column: string | null;

  @ApiProperty({ example: 'There is no Matter with this ImportId.' })
  message: string;
}

const count = { type: 'integer', nullable: true } as const;
const amount = { ...nullableText, example: '1200.00' } as const;

/** A count and a sum of the source, of ControlTotal and of the staging tenant. */
export class TotalView {
  @ApiProperty({ example: 'UnbilledWork' })
  measure: string;

  @ApiProperty({ enum: ['Total', 'Table', 'Matter', 'FeeEarner'], example: 'Matter' })
  groupBy: string;

  @ApiProperty({
    ...nullableText,
    description:
      'The name of the table, or the ImportId of the matter or the employee; null for the total of everything.',
    example: 'M-1',
  })
  groupKey: string | null;

  @ApiProperty({ ...count, description: 'The count of the rows in the source.' })
  sourceCount: number | null;

  @ApiProperty(amount)
  sourceAmount: string | null;

  @ApiProperty({ ...count, description: 'The count that the table ControlTotal gives.' })
  controlCount: number | null;

  @ApiProperty(amount)
  controlAmount: string | null;

  @ApiProperty({ ...count, description: 'The count of what was loaded.' })
  loadedCount: number | null;

  @ApiProperty(amount)
  loadedAmount: string | null;
}

interface Shown {
  request: RequestRow;
  tables: TableView[];
  alias: string;
  stagingAlias: string | null;
}

export function importView({ request, tables, alias, stagingAlias }: Shown): ImportView {
  const isShown = request.staging_tenant_id !== null && !['Loading', 'Cancelled'].includes(request.status);
  return {
    success: true,
    requestId: request.id,
    kind: request.kind,
    status: request.status,
    message: request.message,
    schemaVersion: request.schema_version,
    queuedAt: request.queued_at.toISOString(),
    startedAt: request.started_at?.toISOString() ?? null,
    updatedAt: request.updated_at.toISOString(),
    finishedAt: request.finished_at?.toISOString() ?? null,
    progress: { percent: percentOf(request.status, tables), rowsPerSecond: request.rows_per_second, tables },
    validation: {
      errors: request.errors,
      warnings: request.warnings,
      reportUrl: `/${alias}/api/v1/etl/import-report/${request.id}`,
    },
    stagingTenant: isShown ? stagingAlias : null,
    canPromote: request.is_kept && promotable.includes(request.status),
  };
}
