import { PickType } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { field, TextField } from '#platform/http/input/fields';
import { ChoiceFilter, ListQuery, TextFilter } from '#platform/http/input/list-query';
import { REQUEST_ID } from '../requests/import-request';

export const exampleRequest = '0198c2f1-a4b8-7c3d-9e5f-60718293a4b5';

/** Body of `POST /etl/import`. */
export class ImportInput {
  @TextField({
    required: true,
    max: 4096,
    example:
      'Server=tcp:sql.example.invalid,1433;Database=books;User ID=reader;Password=secret;Encrypt=true;ApplicationIntent=ReadOnly',
    description:
      'The ADO.NET connection string of the SQL Server, with Server, Database, User ID and Password. The connection is ' +
      'encrypted, and the certificate of the server is checked.',
  })
  connectionString: string;
}

/** Body of `POST /etl/promote-to-production` and of `POST /etl/cancel`. */
export class ImportRequestInput {
  // Described as in answers and addresses, so that generated clients give all three the same type.
  @field(
    { required: true, example: exampleRequest, description: 'The id of the import.' },
    { type: String, format: 'uuid' },
    Matches(REQUEST_ID, { message: '$property must be a requestId as POST /etl/import answers it' }),
  )
  requestId: string;
}

export const reportParts = ['findings', 'totals'] as const;
export type ReportPart = (typeof reportParts)[number];

/** Parameters of `GET /etl/import-report/{requestId}`. */
export class ReportQuery extends PickType(ListQuery, ['pageIndex', 'pageSize']) {
  @ChoiceFilter('What the rows of the report are. Default: findings.', reportParts)
  part?: ReportPart;

  @ChoiceFilter('Only findings with this severity.', ['error', 'warning'])
  severity?: 'error' | 'warning';

  @TextFilter('Only findings with this code.', 60)
  code?: string;

  @TextFilter('Only findings about this table.', 60)
  table?: string;
}
