import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Logger } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { create as contentDisposition } from 'content-disposition';
import { DomainError, notFound } from '#kernel/errors';
import type { Id } from '#kernel/ids';
import { printDigest } from '#platform/http/body/content-digest';
import { countRead } from '#platform/http/body/read-buffers';
import { WholeNumberFilter } from '#platform/http/input/list-query';
import { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { ContentStorage, type OpenContent } from '#platform/storage/content-storage';
import type { RecordList } from '../records/record-list';
import { GetRecord, GetRecordHandler } from '../records/records.queries';
import { type DocumentState, type DocumentVersion, MAX_VERSIONS } from './document';
import { downloadType } from './document.content-type';
import { documents } from './document.queries';
import { type Range, rangeOf } from './document.range';

export class DownloadQuery {
  @WholeNumberFilter('Number of the version; the present one when absent.', { min: 1, max: MAX_VERSIONS })
  version?: number;
}

/** The conditions of a download, apart from the version. */
export interface Conditions {
  /** The request is a HEAD. */
  headersOnly: boolean;
  range?: string;
  ifRange?: string;
  ifNoneMatch?: string;
}

export class DownloadDocument {
  constructor(
    readonly context: RequestContext,
    readonly id: Id,
    readonly query: DownloadQuery,
    readonly conditions: Conditions,
  ) {}
}

/** The list of documents with their stored state, which has the keys of the bytes. */
const kept: RecordList<object, object> = { ...documents, view: ({ state }) => state };

/**
 * Streams the bytes of a version.
 * @throws DomainError `not_found`, `range_not_satisfiable` (416); `content_unavailable` (503) when the storage lacks the bytes
 *   of the document, or has others
 */
@QueryHandler(DownloadDocument)
export class DownloadDocumentHandler implements IQueryHandler<DownloadDocument> {
  private readonly log = new Logger(DownloadDocumentHandler.name);

  constructor(
    private readonly records: GetRecordHandler,
    private readonly storage: ContentStorage,
  ) {}

  async execute({ context, id, query, conditions }: DownloadDocument): Promise<Reply> {
    const version = await this.version(context, id, query.version);
    const { size, sha256 } = version;
    const etag = `"${sha256}"`;
    const validators = { ETag: etag, 'Accept-Ranges': 'bytes' };
    if (matches(conditions.ifNoneMatch, etag)) return new Reply(304, undefined, validators);
    const isSame = conditions.ifRange === undefined || conditions.ifRange === etag;
    const range = isSame && !conditions.headersOnly ? rangeOf(conditions.range, size) : undefined;
    const body = conditions.headersOnly ? Readable.from([]) : await this.open(context, version, range);
    return new Reply(range ? 206 : 200, body, {
      ...validators,
      ...bodyHeaders(version, range),
      'Repr-Digest': printDigest(sha256),
      'Content-Security-Policy': "default-src 'none'; sandbox",
    });
  }

  private async version(context: RequestContext, id: Id, number?: number): Promise<DocumentVersion> {
    const { body } = await this.records.execute(new GetRecord(context, kept, id));
    const { isDeleted, versions, fileName, contentType } = (body as { data: DocumentState }).data;
    const present = versions.at(-1);
    const version = number === undefined ? present : versions[number - 1];
    if (isDeleted || !version) throw notFound(isDeleted ? 'document' : 'version of the document');
    // The document may have been renamed since the upload of its current version.
    return version === present ? { ...version, fileName, contentType } : version;
  }

  /** Opens the bytes. @throws DomainError `content_unavailable`, as far as that can be known before anything is sent */
  private async open(
    { tenant, admitted }: RequestContext,
    version: DocumentVersion,
    range?: Range,
  ): Promise<Readable> {
    const { key, size, sha256 } = version;
    await admitted;
    let content: OpenContent | undefined;
    try {
      content = await this.storage.open(tenant.id, key);
      if (content?.size !== size)
        throw new Error(`the storage has ${content?.size ?? 'none'} of its ${size} bytes`);
      const bytes = range ? content.read(range) : verified(content.read(), sha256);
      return this.stream(key, content, await begun(bytes));
    } catch (error) {
      await content?.close();
      this.log.error(`${key} of tenant ${tenant.id} cannot be read: ${(error as Error).message}`);
      throw new DomainError(
        'unavailable',
        'content_unavailable',
        'The document cannot be read at the moment.',
        [],
        { 'Retry-After': '10' },
      );
    }
  }

  /** A stream of the bytes, which closes the file when they were read or the client has gone. */
  private stream(key: string, content: OpenContent, bytes: AsyncIterable<Buffer>): Readable {
    const stream = Readable.from(bytes, { objectMode: false });
    stream.once('error', (error) => this.log.error(`${key} was not sent to its end: ${error.message}`));
    stream.once('close', () => {
      content.close().catch((error: Error) => this.log.error(`${key} was not closed: ${error.message}`));
    });
    return stream;
  }
}

/** Reads the first of the bytes, so that a failure shows now; yields them all. */
async function begun(bytes: AsyncIterable<Buffer>): Promise<AsyncGenerator<Buffer>> {
  const iterator = bytes[Symbol.asyncIterator]();
  let next = await iterator.next();
  async function* all() {
    try {
      for (; !next.done; next = await iterator.next()) {
        countRead(next.value.length);
        yield next.value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  return all();
}

/** Passes the bytes through, but holds the last chunk back until the digest of all bytes is right. */
async function* verified(bytes: AsyncIterable<Buffer>, sha256: string): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let held: Buffer | undefined;
  for await (const chunk of bytes) {
    if (held) yield held;
    hash.update(chunk);
    held = chunk;
  }
  if (hash.digest('hex') !== sha256) throw new Error('its bytes are not those that were stored');
  if (held) yield held;
}

function bodyHeaders({ fileName, contentType, size }: DocumentVersion, range: Range | undefined) {
  const length = range ? range.last - range.first + 1 : size;
  return {
    'Content-Type': downloadType(contentType),
    'Content-Disposition': contentDisposition(fileName),
    'Content-Length': String(length),
    ...(range && { 'Content-Range': `bytes ${range.first}-${range.last}/${size}` }),
  };
}

/** @see RFC 9110 section 13.1.2 */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes('*') || tags.includes(etag);
}
