import { ApiProperty } from '@nestjs/swagger';

const nullableText = { type: String, nullable: true } as const;

/** A finding: something that is wrong with the data. */
export class FindingView {
  @ApiProperty({
    enum: ['error', 'warning'],
    description: 'An error must be corrected before the import can be promoted.',
    example: 'error',
  })
  severity: 'error' | 'warning';

  @ApiProperty({
    description: 'The kind of finding, for programs. A code never changes its meaning.',
    example: 'not_found',
  })
  code: string;

  @ApiProperty({ description: 'The name of the table.', example: 'WorkItem' })
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

  @ApiProperty({
    description: 'What is wrong, as a text for people.',
    example: 'There is no Matter with this ImportId.',
  })
  message: string;
}

const count = { type: 'integer', nullable: true } as const;
const amount = { ...nullableText, example: '1200.00' } as const;

/** A count and a sum of the source, of ControlTotal and of the staging tenant. */
export class TotalView {
  @ApiProperty({ description: 'What is counted and summed. `Rows` has no sums.', example: 'UnbilledWork' })
  measure: string;

  @ApiProperty({
    enum: ['Total', 'Table', 'Matter', 'FeeEarner'],
    description: 'What the total is of: everything, or one table, matter or fee earner.',
    example: 'Matter',
  })
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

  @ApiProperty({ ...amount, description: 'The sum of the rows in the source, in the base currency.' })
  sourceAmount: string | null;

  @ApiProperty({ ...count, description: 'The count that the table ControlTotal gives.' })
  controlCount: number | null;

  @ApiProperty({ ...amount, description: 'The sum that the table ControlTotal gives.' })
  controlAmount: string | null;

  @ApiProperty({ ...count, description: 'The count of what was loaded.' })
  loadedCount: number | null;

  @ApiProperty({ ...amount, description: 'The sum of what was loaded, in the base currency.' })
  loadedAmount: string | null;
}
