/**
 * The client of identity providers, a library. A server with a public URL loads it before it answers requests, the
 * embedded engine with the first sign-in at a provider.
 */

/**
 * The parts of the library, one after the other: loaded at once they would hold the event loop for more than 10 ms.
 */
async function loadLibrary() {
  await import('oauth4webapi');
  const library = await import('openid-client');
  // Node loads these with their first use, for some 20 ms at once.
  new Headers();
  return library;
}

let library: ReturnType<typeof loadLibrary> | undefined;

export type OpenIdClient = typeof import('openid-client');

/** Loads it, once. */
export function openIdClient(): Promise<OpenIdClient> {
  library ??= loadLibrary();
  return library;
}
