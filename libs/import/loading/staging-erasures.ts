import { Injectable } from '@nestjs/common';
import { ErasedEntities } from '#practice/entities/entity.erasures';
import { HeldTenants } from '#projections/held-tenants';
import { IMPORT } from './loading';
import { StagingTenants } from './staging-tenants';

/**
 * Repeats a tenant's erasures of people in its staging tenants. Staging tenants are never deleted, and have the same
 * people with encryption keys of their own.
 */
@Injectable()
export class StagingErasures {
  constructor(
    private readonly stagingTenants: StagingTenants,
    private readonly held: HeldTenants,
    private readonly erased: ErasedEntities,
  ) {}

  /** @returns how many people were erased */
  async repeat(): Promise<number> {
    // Tenants that an unfinished load has left held are released first.
    const held = new Set(await this.held.newTenants());
    const loaded = await this.stagingTenants.loaded();
    return this.erased.repeatIn(
      loaded.filter(({ copy }) => !held.has(copy.id)),
      IMPORT,
    );
  }
}
