/** INFO FOR ACCESS: whether people can sign in at an access method, and what its provider must know. */

import { providerWayOf } from '../../auth/oidc/provider-target.js';
import { wayUrl } from '../../auth/ways/addresses.js';
import { systemRedirects } from '../../auth/ways/system-users.js';
import { findAccess } from '../../catalog/definitions/lookup.js';
import { failure, TesseraError } from '../../errors/error.js';
import type { Level } from '../../language/ast.js';
import { authorize } from '../../runtime/authorization/authorize.js';
import { selectedPath } from '../../runtime/authorization/selected-database.js';
import type { Execution } from '../../runtime/execution.js';
import { type ObjectValue, objectFrom } from '../../value/value.js';
import { appOf } from '../identity/identity-rows.js';

/**
 * `{ ready, reason, redirect_uri }` of an access method with a provider, which is asked for its metadata; `{ ready }`
 * of others.
 * @throws TesseraError `not_allowed`, `access_missing`
 */
export async function accessState(execution: Execution, level: Level, name: string): Promise<ObjectValue> {
  const databasePath = selectedPath(execution, level);
  authorize(execution.identity, 'view', databasePath, 'Access');
  const access = await findAccess(execution.context.transaction, databasePath, name);
  if (access === undefined) throw failure('access_missing', { name, ...databasePath });
  const { accessKind } = access;
  const way = providerWayOf(accessKind);
  if (way === undefined) return objectFrom({ ready: true });
  const { publicUrls, providers } = execution.services;
  const app =
    accessKind.kind === 'provider'
      ? { config: undefined, redirects: systemRedirects(publicUrls, accessKind) }
      : appOf(await execution.context.catalog(), databasePath);
  let redirect: string;
  try {
    redirect = wayUrl(publicUrls, app, { databasePath, access: name }, 'callback');
  } catch (error) {
    if (!(error instanceof TesseraError)) throw error;
    return objectFrom({ ready: false, reason: error.message });
  }
  const noRedirect = app.redirects.length === 0 ? failure('redirect_unknown').message : undefined;
  const reason = noRedirect ?? (await providers.faultOf(way));
  return objectFrom({ ready: reason === undefined, reason, redirect_uri: redirect });
}
