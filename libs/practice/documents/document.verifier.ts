import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { holding } from '#event-store/load';
import { Loader } from '#event-store/loader';
import { Tenants } from '#platform/auth/tenants';
import { ContentStorage, type OpenContent } from '#platform/storage/content-storage';
import { CONTENT, Document, type DocumentVersion } from './document';

/** A version of a document whose bytes the storage lacks, or has otherwise than they were stored. */
export interface DocumentFinding {
  tenant: string;
  document: string;
  version: number;
  /** The key of the bytes, which is the name of their file. */
  key: string;
  what: string;
}

export interface DocumentsVerified {
  versions: number;
  /** How many bytes the versions have together. */
  bytes: number;
  /** Number of findings. */
  differences: number;
}

/** Verifies that the bytes of all versions of documents are stored, those of deleted documents included. */
@Injectable()
export class DocumentVerifier {
  constructor(
    private readonly tenants: Tenants,
    private readonly loader: Loader,
    private readonly storage: ContentStorage,
  ) {}

  /**
   * Compares the size of the stored bytes of one tenant, or of all, with that in the events.
   * @param digests the bytes are read as well, and their digest compared
   * @param tell is given each finding at once
   * @throws DomainError tenant_not_found
   */
  async verify(
    { tenant, digests = false }: { tenant?: string; digests?: boolean },
    tell: (finding: DocumentFinding) => void,
  ): Promise<DocumentsVerified> {
    const verified: DocumentsVerified = { versions: 0, bytes: 0, differences: 0 };
    for (const { id, alias } of await this.tenants.chosen(tenant)) {
      for await (const { document, version } of this.versions(id)) {
        verified.versions += 1;
        verified.bytes += version.size;
        const what = await this.fault(id, version, digests);
        if (what === undefined) continue;
        verified.differences += 1;
        tell({ tenant: alias, document, version: version.number, key: version.key, what });
      }
    }
    return verified;
  }

  /** A tenant's versions, the oldest first. A key that no document has is left to the verification of the streams. */
  private async *versions(tenantId: number): AsyncGenerator<{ document: string; version: DocumentVersion }> {
    for await (const keys of this.loader.keysOf(tenantId, CONTENT)) {
      const holders = await this.loader.load(
        tenantId,
        keys.map((key) => holding(Document, { kind: CONTENT, key })),
      );
      for (const [index, key] of keys.entries()) {
        const version = holders[index]?.data.versions.find((one) => one.key === key);
        if (version) yield { document: holders[index]!.id, version };
      }
    }
  }

  /** What is wrong with the stored bytes of a version; undefined when nothing is. */
  private async fault(
    tenantId: number,
    { key, size, sha256 }: DocumentVersion,
    digests: boolean,
  ): Promise<string | undefined> {
    let content: OpenContent | undefined;
    try {
      content = await this.storage.open(tenantId, key);
      if (!content) return 'its bytes are missing';
      if (content.size !== size) return `${content.size} of its ${size} bytes are there`;
      if (digests && (await digestOf(content)) !== sha256) return 'its bytes are not those that were stored';
      return undefined;
    } catch (error) {
      return `its bytes cannot be read: ${(error as Error).message}`;
    } finally {
      await content?.close();
    }
  }
}

async function digestOf(content: OpenContent): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of content.read()) hash.update(chunk);
  return hash.digest('hex');
}
