/** A store on disk with access methods of each way, for servers that are killed while they redeem. */
import { createHash } from 'node:crypto';
import { readTarget } from '../../../src/functions/network/targets.js';
import type { DatabaseOptions } from '../../../src/session/database/options.js';
import { CLIENT, StubProvider } from '../../support/identity-provider.js';

export const PATH = { namespace: 'test', database: 'test' };
export const VERIFIER = 'v'.repeat(43);
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
export const REDIRECT = 'https://shop.example/in';

const AT_ONCE = { minimum: 0, step: 1, maximum: 1 };
export const OPTIONS: DatabaseOptions = {
  authentication: { failureDelay: AT_ONCE, startDelay: AT_ONCE, publicUrls: ['https://db.example'] },
  network: { allow: [readTarget('id.example') as never] },
};

export const ORIGIN = 'https://shop.example';

/** Each process has its own, which knows the people who come to it. */
export const openProvider = () => StubProvider.at('id.example', '93.184.216.34');

/** Mails wait: their server is no target that is allowed. */
export const SCHEMA = `
  DEFINE CONFIG MAIL FROM 'shop@shop.example' SMTP 'smtps://mail.invalid';
  DEFINE CONFIG AUTH REDIRECT '${REDIRECT}';
  DEFINE TABLE user; DEFINE FIELD email ON user TYPE string; DEFINE INDEX email ON user FIELDS email UNIQUE;
  DEFINE TABLE welcome; DEFINE EVENT welcome ON user WHEN $event = 'CREATE' THEN (CREATE welcome SET to = $after.id);
  DEFINE ACCESS mail ON DATABASE TYPE RECORD SIGNUP (CREATE user SET email = $identity.email)
    SIGNIN (SELECT * FROM user WHERE email = $email) WITH MAIL CODE, LINK WITH REFRESH;
  DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM user WHERE email = $email);
  DEFINE ACCESS provider ON DATABASE TYPE RECORD SIGNUP (CREATE user SET email = $identity.subject)
    WITH OIDC ISSUER 'https://id.example' CLIENT '${CLIENT.id}' SECRET '${CLIENT.secret}' WITH REFRESH;
  DEFINE ACCESS passkey ON DATABASE TYPE RECORD WITH PASSKEY DOMAIN 'shop.example' ORIGIN '${ORIGIN}';
  DEFINE ACCESS totp ON DATABASE TYPE RECORD WITH TOTP;
  DEFINE ACCESS recovery ON DATABASE TYPE RECORD WITH RECOVERY CODES 3;
  CREATE user:ann SET email = 'ann@example.com';
`;
