import { IsIn, IsOptional } from 'class-validator';
import { AreHeaders, IsBaseUrl, IsPart } from './checks';

/** What the process reports about its work. */
export class ObservabilityConfig {
  /** Base address of an OpenTelemetry collector (OTLP over HTTP); without it no traces are made. */
  @IsOptional()
  @IsBaseUrl()
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;

  /** Headers of the requests to the collector: `name=value,name=value`, values percent-encoded. */
  @IsOptional()
  @AreHeaders()
  OTEL_EXPORTER_OTLP_HEADERS?: string;

  /** Share of the requests that are traced, 0 to 1, where the caller has not decided. */
  @IsPart()
  OTEL_TRACES_SAMPLER_ARG = 1;

  @IsIn(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
  LOG_LEVEL: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent' = 'info';
}
