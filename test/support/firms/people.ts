export interface FeeEarner {
  readonly id: string;
  /** Of an hour, as the source has it. */
  readonly rate: string;
  readonly isActive: boolean;
}

export interface ClientOf {
  readonly id: string;
  readonly terms: number | null;
}

/** Those whom work and matters refer to. */
export interface People {
  readonly feeEarners: readonly FeeEarner[];
  readonly active: readonly ClientOf[];
  /** They have closed matters alone. */
  readonly inactive: readonly ClientOf[];
  readonly suppliers: readonly string[];
}
