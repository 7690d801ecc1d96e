export interface FeeEarner {
  readonly id: string;
  /** The hourly rate, as the source has it. */
  readonly rate: string;
  readonly isActive: boolean;
}

export interface ClientOf {
  readonly id: string;
  readonly terms: number | null;
}

/** The people to whom work and matters refer. */
export interface People {
  readonly feeEarners: readonly FeeEarner[];
  readonly active: readonly ClientOf[];
  /** Clients that have only closed matters. */
  readonly inactive: readonly ClientOf[];
  readonly suppliers: readonly string[];
}
