/** The client of identity providers, a library that is loaded with the first sign-in at one. */

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

/** Loads it. A server that may need it does so before it answers requests. */
export function openIdClient(): Promise<OpenIdClient> {
  library ??= loadLibrary();
  return library;
}
