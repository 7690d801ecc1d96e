/** Removes what global-setup.ts has made. */
export default async function globalTeardown(): Promise<void> {
  await globalThis.stopTestServers();
}
