/** The ways of access methods of TYPE RECORD. One that is forgotten doesn't compile. */
import type { AccessWay } from '../../language/ast.js';
import { PASSKEY_WAY } from '../passkey/passkey-way.js';
import { RECOVERY_WAY } from '../second-factor/recovery.js';
import { TOTP_WAY } from '../second-factor/totp.js';
import { MAIL_WAY } from './mail.js';
import { OAUTH_WAY, OIDC_WAY } from './provider.js';
import type { WayRow } from './way.js';

const WAYS: { readonly [K in AccessWay['kind']]: WayRow<Extract<AccessWay, { readonly kind: K }>> } = {
  mail: MAIL_WAY,
  passkey: PASSKEY_WAY,
  totp: TOTP_WAY,
  recovery: RECOVERY_WAY,
  oidc: OIDC_WAY,
  oauth: OAUTH_WAY,
};

/** The row takes ways of its kind, which a lookup by a kind known only in general can't tell the compiler. */
export function wayRow({ kind }: AccessWay): WayRow<AccessWay> {
  return WAYS[kind] as WayRow<AccessWay>;
}
