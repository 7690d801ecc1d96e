import { Logger } from '@nestjs/common';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { LoggedExporter } from './logged-exporter';

it('logs an outage of the collector once, and its end', () => {
  const lines: string[] = [];
  const noting = (level: string) => (line: unknown) => void lines.push(`${level}: ${line}`);
  jest.spyOn(Logger.prototype, 'warn').mockImplementation(noting('warn'));
  jest.spyOn(Logger.prototype, 'log').mockImplementation(noting('log'));
  const refused = new Error('connect ECONNREFUSED 127.0.0.1:4318');
  const results = [undefined, refused, refused, undefined, undefined, refused];
  const exporter = new LoggedExporter({
    export: (_, done) => {
      const error = results.shift();
      done({ code: error ? 1 : 0, error });
    },
  } as SpanExporter);
  const codes: number[] = [];
  while (results.length > 0) exporter.export([], ({ code }) => codes.push(code));

  expect(codes).toEqual([0, 1, 1, 0, 0, 1]);
  expect(lines).toEqual([
    'warn: Traces are lost: the collector fails: connect ECONNREFUSED 127.0.0.1:4318',
    'log: The collector takes traces again',
    'warn: Traces are lost: the collector fails: connect ECONNREFUSED 127.0.0.1:4318',
  ]);
});
