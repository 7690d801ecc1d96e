import { TextField } from '#platform/http/input/fields';
import { ChoiceFilter, TextFilter } from '#platform/http/input/list-query';
import { HistoryQuery } from '#practice/records/history-query';
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
      "ADO.NET's connection string of the SQL Server, with Server, Database, User ID and Password. The connection is encrypted, and the certificate is checked.",
  })
  connectionString: string;
}

/** Body of `POST /etl/promote-to-production` and of `POST /etl/cancel`. */
export class ImportRequestInput {
  @TextField({
    required: true,
    max: 36,
    pattern: { expression: REQUEST_ID, form: 'a requestId as POST /etl/import answers it' },
    example: exampleRequest,
    description: 'Of the import.',
  })
  requestId: string;
}

export const reportParts = ['findings', 'totals'] as const;
export type ReportPart = (typeof reportParts)[number];

/** Parameters of `GET /etl/import-report/{requestId}`. */
export class ReportQuery extends HistoryQuery {
  @ChoiceFilter('What the rows are; default findings.', reportParts)
  part?: ReportPart;

  @ChoiceFilter('Findings of that severity alone.', ['error', 'warning'])
  severity?: 'error' | 'warning';

  @TextFilter('Findings of that code alone.', 60)
  code?: string;

  @TextFilter('Findings about that table alone.', 60)
  table?: string;
}
