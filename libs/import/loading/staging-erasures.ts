import { Injectable } from '@nestjs/common';
import { ErasedEntities } from '#practice/entities/entity.erasures';
import { HeldTenants } from '#projections/held-tenants';
import { IMPORT } from './loading';
import { StagingTenants } from './staging-tenants';

/** Staging tenants stay, and have people of their parents under keys of their own: an erasure is repeated in each. */
@Injectable()
export class StagingErasures {
  constructor(
    private readonly stagingTenants: StagingTenants,
    private readonly held: HeldTenants,
    private readonly erased: ErasedEntities,
  ) {}

  /** @returns how many people were erased */
  async repeat(): Promise<number> {
    // What a load that died has left is shown first.
    const held = new Set(await this.held.newTenants());
    const loaded = await this.stagingTenants.loaded();
    return this.erased.repeatIn(
      loaded.filter(({ copy }) => !held.has(copy.id)),
      IMPORT,
    );
  }
}
