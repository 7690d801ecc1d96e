import { ApiProperty } from '@nestjs/swagger';
import { type ImportStatus, promotable, type RequestRow, statuses } from '../requests/import-request';
import { SCHEMA_VERSION } from '../schema/schema-1.0';
import { exampleRequest } from './import.input';
import { percentOf } from './import-progress';

const nullableText = { type: String, nullable: true } as const;
const nullableInstant = { ...nullableText, format: 'date-time' } as const;

/** Body of the answer 202 to a request that a worker carries out. */
export class AcceptedView {
  @ApiProperty({ description: 'Always true.', example: true })
  success: boolean;

  @ApiProperty({
    description: 'What was done with the request, as a text for people.',
    example: 'Import request queued successfully.',
  })
  message: string;

  @ApiProperty({
    format: 'uuid',
    description: 'The id by which the status is asked for.',
    example: exampleRequest,
  })
  requestId: string;
}

/** Row counts of a table. */
export class TableView {
  @ApiProperty({ description: 'The name of the table.', example: 'WorkItem' })
  name: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'How many rows the source has, by its own count; null before it is known.',
    example: 1200,
  })
  total: number | null;

  @ApiProperty({ type: 'integer', description: 'How many rows have been read.', example: 1200 })
  read: number;

  @ApiProperty({ type: 'integer', description: 'How many rows have no error.', example: 1198 })
  valid: number;

  @ApiProperty({ type: 'integer', description: 'How many rows have an error.', example: 2 })
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

  @ApiProperty({ type: [TableView], description: 'The row counts of each table.' })
  tables: TableView[];
}

export class ValidationView {
  @ApiProperty({
    type: 'integer',
    description: 'The number of findings that are errors. With any, the import cannot be promoted.',
    example: 2,
  })
  errors: number;

  @ApiProperty({ type: 'integer', description: 'The number of findings that are warnings.', example: 0 })
  warnings: number;

  @ApiProperty({
    description: 'The path of the report with all findings.',
    example: `/demo/api/v1/etl/import-report/${exampleRequest}`,
  })
  reportUrl: string;
}

/** The status of an import. */
export class ImportView {
  @ApiProperty({ description: 'Always true.', example: true })
  success: boolean;

  @ApiProperty({
    format: 'uuid',
    description: 'The id of the import, promotion included.',
    example: exampleRequest,
  })
  requestId: string;

  @ApiProperty({
    enum: ['Import', 'Promotion'],
    description: 'Promotion: from the request to promote the import on.',
    example: 'Import',
  })
  kind: 'Import' | 'Promotion';

  @ApiProperty({
    enum: statuses,
    description: 'The present step, or how the import has ended.',
    example: 'Extracting',
  })
  status: ImportStatus;

  @ApiProperty({
    description: 'What the import does at present, or why it has ended.',
    example: 'Reading the tables.',
  })
  message: string;

  @ApiProperty({
    ...nullableText,
    description: 'The version of the tables, as the source names it; null before it is read.',
    example: SCHEMA_VERSION,
  })
  schemaVersion: string | null;

  @ApiProperty({ format: 'date-time', description: 'When the import was requested.' })
  queuedAt: string;

  @ApiProperty({ ...nullableInstant, description: 'When a worker took it up; null while it waits.' })
  startedAt: string | null;

  @ApiProperty({
    format: 'date-time',
    description: 'When the status last changed, or the worker last reported.',
  })
  updatedAt: string;

  @ApiProperty({ ...nullableInstant, description: 'When it ended; null until then.' })
  finishedAt: string | null;

  @ApiProperty({ description: 'How far the import has come.' })
  progress: ProgressView;

  @ApiProperty({ description: 'What was found in the rows.' })
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

export function importView(request: RequestRow, tables: TableView[], alias: string): ImportView {
  const isShown = !['Loading', 'Cancelled'].includes(request.status);
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
    stagingTenant: isShown ? request.staging_alias : null,
    canPromote: request.is_kept && promotable.includes(request.status),
  };
}
