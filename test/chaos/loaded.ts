/**
 * The time after which something counts as hung. A loaded machine may need that long for what another one does in
 * seconds.
 */
export const LOADED_MS = 180_000;
