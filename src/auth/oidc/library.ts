/** The client of identity providers, a library that is loaded with the first sign-in at one. */

/**
 * The parts of the library, one after the other: loaded at once they would hold the event loop for more than 10 ms.
 */
async function loadLibrary() {
  await import('oauth4webapi');
  return import('openid-client');
}

let library: ReturnType<typeof loadLibrary> | undefined;

export type OpenIdClient = typeof import('openid-client');

export function openIdClient(): Promise<OpenIdClient> {
  library ??= loadLibrary();
  return library;
}
