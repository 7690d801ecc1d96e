/** What a loaded machine may need for what another has done in seconds: a limit for what hangs, not for what is slow. */
export const LOADED_MS = 180_000;
