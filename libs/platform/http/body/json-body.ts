import { isUtf8 } from 'node:buffer';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError, malformed } from '#kernel/errors';
import { pointed } from '../json-pointer';

const MAX_DEPTH = 20;
/**
 * The most values and names of a body. The largest meaningful body has 33,000: settings of 64 KiB; an invoice of a
 * thousand lines has 27,000. Ten thousand columns of a report, 70,000, are refused by the report with a message of its
 * own.
 */
const MAX_PARTS = 100_000;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route stores nothing of its body: its handler decides which texts and numbers it accepts. */
    storesNothing?: boolean;
    /** The route's body is a JsonText. */
    asText?: boolean;
  }
}

/** A body with the text that it was parsed from: JSON.parse keeps only 53 bits of a number. */
export class JsonText {
  constructor(
    readonly text: string,
    readonly value: unknown,
  ) {}
}

/** Marks a route whose body is a {@link JsonText}. */
export const AsJsonText = (): MethodDecorator => RouteConfig({ asText: true });

/**
 * Parses a JSON body; an empty one counts as none.
 * @throws DomainError `malformed`: not JSON, deeper than 20 levels, or with more parts than any meaningful body
 * (checking each part of a megabyte would hold up all other requests); `invalid`: a value that cannot be stored, unless
 * the route stores nothing
 */
export function parseJson(text: string, { storesNothing = false } = {}): unknown {
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed('malformed_json', 'The body is not valid JSON.');
  }
  let parts = 0;
  inspect(value, 1, '', (part, pointer) => {
    if (++parts > MAX_PARTS) throw malformed('too_many_parts', `The body has more than ${MAX_PARTS} parts.`);
    if (!storesNothing) requireStorable(part, pointer);
  });
  return value;
}

type Check = (value: unknown, pointer: string) => void;

function inspect(value: unknown, depth: number, pointer: string, check: Check): void {
  check(value, pointer);
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) throw malformed('too_deep', `The body is nested deeper than ${MAX_DEPTH} levels.`);
  for (const [name, child] of Object.entries(value)) {
    // Copying such a property would set a prototype.
    if (name === '__proto__') throw malformed('malformed_json', `"${name}" is no property name.`);
    if (!Array.isArray(value)) check(name, pointer);
    inspect(child, depth + 1, `${pointer}/${pointed(name)}`, check);
  }
}

function requireStorable(value: unknown, pointer: string): void {
  if (typeof value === 'string') requireText(value, pointer);
  // JSON.parse turns a number that is too large into infinity, and JSON.stringify turns that into null.
  if (typeof value === 'number' && !Number.isFinite(value))
    throw invalid('number_too_large', `${pointer || 'The body'} is too large a number.`, pointer);
}

/**
 * @throws DomainError `invalid_text` (422) at the pointer; for the name of a property, the pointer is that of its
 * object
 */
export function requireText(text: string, pointer: string): void {
  if (!text.includes('\0') && text.isWellFormed()) return;
  throw invalid('invalid_text', `${pointer || 'The body'} holds a NUL or half a surrogate pair.`, pointer);
}

function invalid(code: string, message: string, pointer: string): DomainError {
  return new DomainError('invalid', code, message, [{ pointer, code, message }]);
}

/**
 * Requires UTF-8, which JSON is (RFC 8259, section 8.1): in any other encoding letters would be replaced unnoticed. The
 * byte order mark that some clients write first is ignored.
 */
function requireUtf8(body: Buffer): string {
  if (!isUtf8(body)) throw malformed('malformed_json', 'The body is not in UTF-8.');
  return body.toString().replace(/^\ufeff/, '');
}

type Parser = (
  request: FastifyRequest,
  body: Buffer,
  done: (refusal: Error | null, body?: unknown) => void,
) => void;

/**
 * Parses a body, unless it is empty or means nothing: the body of a DELETE, and that of a request to an unknown
 * address, are ignored.
 */
function parserOf(parse: (body: Buffer, request: FastifyRequest) => unknown): Parser {
  return (request, body, done) => {
    try {
      const isUnread = body.length === 0 || request.method === 'DELETE' || request.is404;
      done(null, isUnread ? undefined : parse(body, request));
    } catch (refusal) {
      done(refusal as Error);
    }
  };
}

/** The error of a 415 answer. */
export function unsupported(): Error {
  return Object.assign(new Error('Unsupported Media Type'), { statusCode: 415 });
}

/**
 * Reads `application/json` and `application/merge-patch+json` (RFC 7396); anything else is 415, unless it is empty. The
 * null of a POST counts as no body: some generated clients (Go) write it for an optional body that they are not given.
 * In a PATCH it would ask to remove the whole record (RFC 7396, section 2), which is refused.
 */
export function registerJsonBody(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  const asBuffer = { parseAs: 'buffer' } as const;
  fastify.addContentTypeParser(
    ['application/json', 'application/merge-patch+json'],
    asBuffer,
    parserOf((body, { method, routeOptions: { config } }) => {
      const text = requireUtf8(body);
      const value = parseJson(text, config);
      if (config.asText) return new JsonText(text, value);
      return method === 'POST' && value === null ? undefined : value;
    }),
  );
  fastify.addContentTypeParser(
    '*',
    asBuffer,
    parserOf(() => {
      throw unsupported();
    }),
  );
}
