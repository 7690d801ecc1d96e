import type { Readable } from 'node:stream';
import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError, malformed } from '#kernel/errors';
import { digestOf, requireDigest } from './content-digest';
import { unsupported } from './json-body';
import { countRead } from './read-buffers';

declare module 'fastify' {
  interface FastifyRequest {
    /** The Content-Type of a request to a route that takes uploads. */
    uploadType?: string | null;
  }
  interface FastifyContextConfig {
    /** The route reads its body itself, whatever its type. */
    upload?: true;
  }
}

/** How long the body of an upload may take to arrive, and that of any other request. */
export const UPLOAD_MS = 600_000;
export const BODY_MS = 30_000;
/** Methods whose bodies Fastify does not read: their answers may have begun, and may be read slowly. */
const ANSWERED_WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'TRACE']);
/** Replaces the type of an upload, so that no body parser reads its bytes. */
const UNREAD = 'application/x-unread';

/** A body that has not been read yet. */
export class Upload {
  constructor(private readonly request: FastifyRequest) {}

  /** The Content-Type; undefined when none was given. */
  get type(): string | undefined {
    return this.request.uploadType ?? undefined;
  }

  /**
   * The bytes as they arrive; they can be read once.
   * @param limit in bytes; a body whose length is known to exceed it is refused before any byte is read
   * @throws DomainError `body_too_large` (413), `body_incomplete` (400) when the client ends early, and the errors of
   * `Content-Digest`: `content_digest_invalid` (400) at once, `digest_mismatch` (422) at the end
   */
  bytes(limit: number): AsyncIterable<Buffer> {
    const { headers, raw } = this.request;
    const digest = digestOf(headers['content-digest']);
    if (Number(headers['content-length']) > limit) throw tooLarge(limit);
    return requireDigest(limited(whole(raw), limit), digest);
  }
}

/** 413: `limit` is in bytes, and shown in MiB. */
export function tooLarge(limit: number): DomainError {
  const detail = `At most ${Math.floor(limit / 1024 ** 2)} MiB can be uploaded.`;
  return new DomainError('too_large', 'body_too_large', detail);
}

async function* limited(bytes: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    countRead(chunk.length);
    if (size > limit) throw tooLarge(limit);
    yield chunk;
  }
}

/**
 * The bytes of a body. When the reader stops early, the rest is discarded: a client that is still sending would
 * otherwise not hear the reason.
 */
async function* whole(body: Readable): AsyncGenerator<Buffer> {
  try {
    yield* body.iterator({ destroyOnReturn: false });
  } catch {
    throw malformed('body_incomplete', 'The body ended before it was complete.');
  } finally {
    body.resume();
  }
}

/** Marks a route that reads its body itself, by `@UploadedBody()`. */
export const TakesUpload = (): MethodDecorator => applyDecorators(RouteConfig({ upload: true }));

/** A controller's parameter: the Upload of the request. */
export const UploadedBody = createParamDecorator(
  (_: unknown, context: ExecutionContext) => new Upload(context.switchToHttp().getRequest<FastifyRequest>()),
);

/**
 * Leaves the bodies of some routes unread, even JSON, until their handlers have checked that they are wanted. All other
 * bodies must arrive within 30 s, as the server's own limit is that of uploads.
 */
export function registerUploads(fastify: FastifyInstance, bodyMs = BODY_MS): void {
  fastify.decorateRequest('uploadType', null);
  fastify.addContentTypeParser(UNREAD, (request, _payload, done) => {
    done(request.routeOptions.config?.upload ? null : unsupported(), undefined);
  });
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (request.routeOptions.config?.upload) {
      request.uploadType = request.raw.headers['content-type'];
      request.raw.headers['content-type'] = UNREAD;
    }
    done();
  });
  fastify.addHook('preParsing', (request, reply, _payload, done) => {
    const { raw, routeOptions } = request;
    if (!routeOptions.config?.upload && !raw.complete && !ANSWERED_WITHOUT_BODY.has(request.method)) {
      // If the connection were kept, Node would wait for the rest of the body.
      const late = () =>
        reply
          .header('Connection', 'close')
          .send(new DomainError('timeout', 'body_too_slow', 'The body was not received in time.'));
      // An injected request, which comes from no network, never closes: its timer must not keep the process alive.
      const timer = setTimeout(late, bodyMs).unref();
      raw.once('close', () => clearTimeout(timer));
    }
    done();
  });
}
