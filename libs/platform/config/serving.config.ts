import { IsOptional, IsString } from 'class-validator';
import { IsBaseUrl, IsWholeNumber } from './checks';

/** Where the process listens, and under what address clients know it. */
export class ServingConfig {
  @IsWholeNumber(0, 65535)
  PORT = 8080;

  /** Address to listen on; by default loopback. */
  @IsString()
  HOST = '127.0.0.1';

  /** Base address as clients see it; default http://HOST:PORT. Written into tokens and metadata. */
  @IsOptional()
  @IsBaseUrl()
  PUBLIC_URL?: string;

  /** Number of reverse proxies in front whose X-Forwarded-For is believed. */
  @IsWholeNumber(0, 10)
  TRUSTED_PROXIES = 0;
}
