import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, ApiClient, type Json } from '../support/client';
import { formOf } from '../support/form';
import type { Office } from './office';

export const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/**
 * A client that creates documents by forms: it turns an object into a form, and adds a file when the object has none.
 */
export class DocumentsClient extends ApiClient {
  constructor({ tenant, token }: ApiClient, baseUrl: string) {
    super(tenant, token, { writes: baseUrl, reads: baseUrl });
  }

  protected override once(
    method: string,
    path: string,
    body?: Json,
    headers?: Record<string, string>,
  ): Promise<Answer> {
    const isUpload = method === 'POST' && path === 'documents' && body?.constructor === Object;
    return super.once(method, path, isUpload ? formOf({ file: 'Dear Sir', ...body }) : body, headers);
  }
}

/** The names of all files that an office stores for documents. */
export function storedFiles({ documents }: Office): string[] {
  if (!existsSync(documents)) return [];
  const entries = readdirSync(documents, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
