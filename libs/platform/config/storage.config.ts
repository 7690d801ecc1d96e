import { IsOptional, IsString, Matches } from 'class-validator';
import { IsAddress, IsFolder, IsWholeNumber } from './checks';

const IsPostgresUrl = () =>
  IsAddress(['postgres', 'postgresql'], '$property must be a postgres:// URL with one host');

/** Where data is stored, and the keys that encrypt it. */
export class StorageConfig {
  /** PostgreSQL of the event store. `local` starts an embedded one when absent. */
  @IsOptional()
  @IsPostgresUrl()
  DATABASE_URL?: string;

  /** PostgreSQL of the read models; default DATABASE_URL. */
  @IsOptional()
  @IsPostgresUrl()
  READ_DATABASE_URL?: string;

  /** Folder of the embedded database and the development key. */
  @IsFolder()
  DATA_DIR = '.data';

  /**
   * Folder of the documents' bytes, which all processes share; default `documents` in DATA_DIR. Not checked here, because
   * a network folder that hangs would hold up every process: those that store documents check it when they start.
   */
  @IsOptional()
  @IsString()
  DOCUMENTS_DIR?: string;

  /** Age in minutes at which bytes that belong to no document are removed: longer than any upload takes. */
  @IsWholeNumber(30, 100_000)
  DOCUMENTS_ORPHAN_MINUTES = 60;

  /** 32 bytes, base64. Encrypts secrets and wraps the keys of personal data. `local` makes one in DATA_DIR. */
  @IsOptional()
  @Matches(/^[A-Za-z0-9+/]{43}=$/, { message: 'SECRETS_KEY must be 32 bytes in base64' })
  SECRETS_KEY?: string;

  /** Former keys, separated by commas, that open what they have sealed while SECRETS_KEY is being replaced. */
  @IsOptional()
  @Matches(/^[A-Za-z0-9+/]{43}=(,[A-Za-z0-9+/]{43}=)*$/, {
    message: 'SECRETS_KEYS_ACCEPTED must be keys of 32 bytes in base64, with commas between',
  })
  SECRETS_KEYS_ACCEPTED?: string;

  /** Connections of each pool. */
  @IsWholeNumber(2, 200)
  DATABASE_POOL = 10;

  /** Partitions of the feed, fixed at installation; 12 if it is absent then. */
  @IsOptional()
  @IsWholeNumber(1, 1024)
  PARTITIONS?: number;

  /** Events that a projection folds in one transaction. */
  @IsWholeNumber(1, 10000)
  PROJECTION_BATCH = 2000;
}
