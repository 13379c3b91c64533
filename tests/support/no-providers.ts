import { Providers } from '../../src/auth/oidc/providers.js';
import type { Environment } from '../../src/env/environment.js';
import { failure } from '../../src/errors/error.js';

/** Identity providers of which none can be reached. */
export function noProviders(environment: Environment): Providers {
  const fetch = () => Promise.reject(failure('network_lookup_failed'));
  return new Providers(environment, { fetcher: { fetch }, report: () => undefined });
}
