import { Logger } from '@nestjs/common';
import type { CommandBus } from '@nestjs/cqrs';
import type { ClosedTenants } from '#event-store/closed-tenants';
import { notFound } from '#kernel/errors';
import type { Upload } from '#platform/http/body/upload';
import type { RequestContext } from '#platform/request-context';
import type { ContentStorage } from '#platform/storage/content-storage';
import { DocumentUploads } from './document.upload';

describe('bytes that cannot be removed', () => {
  const context = { tenant: { id: 1 }, admitted: Promise.resolve() } as RequestContext;
  const storage = {
    keep: async (_: number, bytes: AsyncIterable<Buffer>) => {
      for await (const _chunk of bytes);
      return 'key';
    },
    remove: async () => Promise.reject(new Error('stale file handle')),
  } as unknown as ContentStorage;
  const closed = { requireOpen: async () => undefined } as unknown as ClosedTenants;
  async function* bytes() {
    yield Buffer.from('x');
  }
  const upload = { type: 'text/plain', bytes } as unknown as Upload;
  const send = (execute: () => Promise<unknown>) =>
    new DocumentUploads(storage, { execute } as unknown as CommandBus, closed).addVersion(
      { context, upload, query: { fileName: 'a.txt' } },
      'document_0198c2f1a4b87c3d9e5f60718293a4b5',
    );
  let warned: jest.SpyInstance;
  beforeEach(() => {
    warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  });
  afterEach(() => jest.restoreAllMocks());

  it('do not hide why a request was refused', async () => {
    await expect(send(() => Promise.reject(notFound('document')))).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(warned).toHaveBeenCalledWith(
      expect.objectContaining({ msg: expect.stringContaining('stale file handle') }),
    );
  });

  it('do not fail a repeated request, which has its answer', async () => {
    const first = { replayed: true };
    await expect(send(async () => first)).resolves.toBe(first);
  });
});
