import { IsIn, IsOptional, IsString } from 'class-validator';
import { AreOpenings, IsCertificateFile, IsWholeNumber } from './checks';

/** Where customers may make this service connect to: receivers of webhooks, and the SQL Servers of imports. */
export class OutboundConfig {
  /** `true`: webhooks may go to http addresses and to this machine, on any port. Refused in production. */
  @IsIn(['true', 'false'])
  WEBHOOKS_ALLOW_INSECURE: 'true' | 'false' = 'false';

  /** Where webhooks may go besides the public internet: `host`, `host:port` or CIDR, separated by commas. */
  @IsOptional()
  @AreOpenings()
  WEBHOOKS_ALLOWED?: string;

  /** Days for which deliveries are kept, and can be looked up and sent again. */
  @IsWholeNumber(4, 400)
  WEBHOOKS_LOG_DAYS = 30;

  /**
   * Where the SQL Server of an import may be besides the public internet: `host`, `host:port` or CIDR, separated by
   * commas.
   */
  @IsOptional()
  @AreOpenings()
  IMPORT_ALLOWED?: string;

  /** `true`: imports may connect without encryption, and to this machine. Refused in production. */
  @IsIn(['true', 'false'])
  IMPORT_ALLOW_INSECURE: 'true' | 'false' = 'false';

  /**
   * File of PEM certificates that SQL Servers' certificates are checked against, in addition to the well-known ones.
   */
  @IsOptional()
  @IsCertificateFile()
  IMPORT_CA_FILE?: string;

  /**
   * Connection string of a source, for the command `import run`. Unlike an argument, a variable is shown in no list of
   * processes.
   */
  @IsOptional()
  @IsString()
  IMPORT_CONNECTION?: string;
}
