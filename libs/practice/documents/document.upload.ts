import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ClosedTenants } from '#event-store/closed-tenants';
import type { Written } from '#event-store/event-store';
import { DomainError, malformed } from '#kernel/errors';
import { coverUpload } from '#platform/auth/request-headers';
import { requireSame } from '#platform/http/body/content-digest';
import { type FormFile, readForm, requireUtf8 } from '#platform/http/body/multipart';
import { tooLarge, type Upload } from '#platform/http/body/upload';
import { RequestPipe } from '#platform/http/input/request.pipe';
import type { RequestContext } from '#platform/request-context';
import { ContentStorage } from '#platform/storage/content-storage';
import type { DocumentState } from './document';
import { AddDocumentVersion, CreateDocument, type NewContent } from './document.commands';
import {
  DocumentInput,
  type DocumentUploadQuery,
  DocumentVersionInput,
  type DocumentVersionQuery,
} from './document.input';

const MAX_BYTES = 100 * 1024 ** 2;
/** The maximum size of a form apart from its file. */
const FORM_BYTES = 256 * 1024;

/** A request that uploads bytes. */
export interface DocumentUpload<Query> {
  context: RequestContext;
  upload: Upload;
  query: Query;
}

interface Received<Body> {
  body: Body;
  content: NewContent;
}

/**
 * Stores uploaded bytes, and then appends the document's event that names them. A refused request leaves nothing behind. Bytes
 * that a crash leaves, that cannot be removed, or whose event may or may not have been appended, are left to the sweep.
 */
@Injectable()
export class DocumentUploads {
  private readonly log = new Logger(DocumentUploads.name);
  private readonly pipe = new RequestPipe();

  constructor(
    private readonly storage: ContentStorage,
    private readonly commands: CommandBus,
    private readonly closed: ClosedTenants,
  ) {}

  create(request: DocumentUpload<DocumentUploadQuery>): Promise<Written<DocumentState>> {
    return this.run(request, DocumentInput, ({ body, content }) => {
      return new CreateDocument(request.context, body, content);
    });
  }

  addVersion(request: DocumentUpload<DocumentVersionQuery>, id: string): Promise<Written<DocumentState>> {
    return this.run(request, DocumentVersionInput, ({ body, content }) => {
      return new AddDocumentVersion(request.context, id, body, content);
    });
  }

  private async run<Body extends DocumentVersionInput>(
    request: DocumentUpload<object>,
    dto: new () => Body,
    command: (received: Received<Body>) => object,
  ): Promise<Written<DocumentState>> {
    const { context, upload } = request;
    const kept: NewContent[] = [];
    const keep = async (bytes: AsyncIterable<Buffer>) => {
      const content = await this.keep(context, bytes);
      kept.push(content);
      return content;
    };
    const remove = () => Promise.all(kept.map(({ key }) => this.remove(context, key)));
    try {
      await context.admitted;
      await this.closed.requireOpen(context.tenant.id);
      const isForm = /^multipart\/form-data\b/i.test(upload.type ?? '');
      const received = await (isForm ? this.form(request, dto, keep) : this.raw(request, dto, keep));
      const { body, content } = received;
      if (body.sha256) requireSame(body.sha256, content.sha256, 'The file', 'sha256');
      coverUpload(context, { ...body, sha256: content.sha256 });
      const written = await this.commands.execute(command(received));
      if (written.replayed) await remove();
      return written;
    } catch (error) {
      if (error instanceof DomainError && error.fault !== 'unavailable') await remove();
      throw error;
    }
  }

  /** Handles a form: a file, and its fields in any order. */
  private async form<Body extends object>(
    { upload, query }: DocumentUpload<object>,
    dto: new () => Body,
    keep: (bytes: AsyncIterable<Buffer>) => Promise<NewContent>,
  ): Promise<Received<Body>> {
    let content: NewContent | undefined;
    let file: FormFile | undefined;
    const bytes = upload.bytes(MAX_BYTES + FORM_BYTES);
    const fields = await readForm(bytes, upload.type!, async (sent) => {
      file = sent;
      content = await keep(sent.bytes);
    });
    if (!file || !content) throw fileMissing('The form has no file.');
    const named = { fileName: file.fileName, contentType: file.contentType, ...fields, ...query };
    if (named.fileName !== undefined) requireUtf8('fileName', named.fileName);
    return { body: this.checked(dto, named), content };
  }

  /** Handles raw bytes, whose fields are parameters. */
  private async raw<Body extends object>(
    { upload, query }: DocumentUpload<object>,
    dto: new () => Body,
    keep: (bytes: AsyncIterable<Buffer>) => Promise<NewContent>,
  ): Promise<Received<Body>> {
    if (!upload.type)
      throw fileMissing('There is no file: a body with its Content-Type, or a form, is needed.');
    const body = this.checked(dto, { contentType: upload.type, ...query });
    return { body, content: await keep(upload.bytes(MAX_BYTES)) };
  }

  /** Removes bytes that no document names. A failure is only logged, so that the client learns what became of its request. */
  private async remove({ tenant, correlationId }: RequestContext, key: string): Promise<void> {
    try {
      await this.storage.remove(tenant.id, key);
    } catch (error) {
      const msg = `Bytes without a document were not removed: ${(error as Error).message}`;
      this.log.warn({ msg, traceId: correlationId });
    }
  }

  private checked<Body extends object>(dto: new () => Body, fields: object): Body {
    return this.pipe.transform(fields, { type: 'body', metatype: dto }) as Body;
  }

  private async keep(
    { tenant, correlationId }: RequestContext,
    bytes: AsyncIterable<Buffer>,
  ): Promise<NewContent> {
    const hash = createHash('sha256');
    let size = 0;
    async function* measured() {
      for await (const chunk of bytes) {
        size += chunk.length;
        if (size > MAX_BYTES) throw tooLarge(MAX_BYTES);
        hash.update(chunk);
        yield chunk;
      }
    }
    try {
      const key = await this.storage.keep(tenant.id, measured());
      return { key, size, sha256: hash.digest('hex') };
    } catch (error) {
      if (error instanceof DomainError) throw error;
      this.log.error({ msg: `Bytes were not kept: ${(error as Error).message}`, traceId: correlationId });
      throw new DomainError(
        'unavailable',
        'storage_unavailable',
        'The document cannot be stored at the moment.',
        [],
        { 'Retry-After': '10' },
      );
    }
  }
}

function fileMissing(detail: string): DomainError {
  return malformed('file_missing', detail);
}
