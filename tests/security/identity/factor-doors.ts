/** A database with second factors behind every transport: enrols apps and recovery codes, and completes sign-ins. */
import type { OwnedOptions } from '../../support/owned.js';
import { type Answer, type From, MailDoors, PLACE, type Transport } from './mail-doors.js';

export const PASSWORD = 'correct horse battery';

const SCHEMA = `
  DEFINE FIELD password ON user TYPE option<string> CREDENTIAL;
  UPDATE user SET password = '${PASSWORD}';
  DEFINE TABLE payment PERMISSIONS FOR create, select WHERE $token.acr = 'aal2';
  DEFINE ACCESS password ON DATABASE TYPE RECORD SIGNUP (UPSERT user:ann SET email = 'ann@example.com')
    SIGNIN (SELECT * FROM user WHERE email = $email AND password = $password) WITH REFRESH;
  DEFINE ACCESS company ON DATABASE TYPE RECORD
    SIGNIN (SELECT * FROM user WHERE email = $email AND password = $password) SECOND FACTOR NONE;
  DEFINE ACCESS strict ON DATABASE TYPE RECORD
    SIGNIN (SELECT * FROM user WHERE email = $email AND password = $password) SECOND FACTOR ALWAYS;
  DEFINE ACCESS totp ON DATABASE TYPE RECORD WITH TOTP;
  DEFINE ACCESS recovery ON DATABASE TYPE RECORD WITH RECOVERY CODES 3;
`;

export class FactorDoors {
  private constructor(readonly doors: MailDoors) {}

  static async open(database: OwnedOptions = {}): Promise<FactorDoors> {
    const doors = await MailDoors.open(database);
    await doors.value(SCHEMA);
    return new FactorDoors(doors);
  }

  close(): Promise<void> {
    return this.doors.close();
  }

  /** The first proof: a password, at an access method whose SIGNIN asks for it. */
  password(from: From = {}, transport: Transport = 'HTTP', email = 'ann@example.com'): Promise<Answer> {
    return this.doors.signIn({ email, password: PASSWORD }, { access: 'password', ...from }, transport);
  }

  /** The code that an app shows now. */
  async code(secret: string): Promise<string> {
    return (await this.doors.value(`RETURN crypto::totp::code('${secret}')`)) as string;
  }

  /** The code that it shows next. */
  nextCode(secret: string): Promise<string> {
    this.doors.pass(30_000);
    return this.code(secret);
  }

  async started(body: object, from: From): Promise<{ request: string; secret: string; codes: readonly string[] }> {
    const answer = await this.doors.start(body as Record<string, unknown>, from);
    if (answer.statusCode !== 200) throw new Error(answer.body);
    return answer.json();
  }

  /** Enrols an app, by a password or another session: its secret, and the token that this gives. */
  async enrolled(email = 'ann@example.com', by?: string): Promise<{ secret: string; token: string }> {
    const token = by ?? (await this.password({}, 'HTTP', email)).token;
    const { request, secret } = await this.started({ link: true }, { access: 'totp', token });
    const confirmed = await this.doors.signIn({ request, code: await this.code(secret) }, { access: 'totp' });
    if (confirmed.token === undefined) throw new Error(confirmed.text);
    this.doors.pass(30_000);
    return { secret, token: confirmed.token };
  }

  /** Recovery codes, confirmed by the first of them. */
  async recovery(token: string): Promise<readonly string[]> {
    const { request, codes } = await this.started({ link: true }, { access: 'recovery', token });
    const { error } = await this.doors.signIn({ request, code: codes[0] }, { access: 'recovery' });
    if (error !== undefined) throw new Error(error);
    return codes;
  }

  /** Completes what a first proof has begun. */
  complete(request: string, code: string, access = 'totp', transport: Transport = 'HTTP'): Promise<Answer> {
    return this.doors.signIn({ request, code }, { access }, transport);
  }

  /** A session with both proofs. */
  async both(secret: string): Promise<string> {
    const { due } = await this.password();
    const { token, text } = await this.complete(due?.request ?? '', await this.nextCode(secret));
    if (token === undefined) throw new Error(text);
    return token;
  }

  /** What `$token` says of how the bearer has signed in. */
  async claims(token: string | undefined): Promise<unknown> {
    const asked = 'RETURN { amr: $token.amr, acr: $token.acr, ac: $access, at: $token.auth_time }';
    return this.doors.query(asked, token);
  }

  /** The ids of what a record has proved at an access method. */
  async identity(access: string): Promise<string> {
    const rows = (await this.doors.value(`ACCESS ${access} SHOW ALL`)) as readonly { id: string }[];
    return rows[0]?.id ?? '';
  }

  rpc(method: string, params: readonly unknown[], from: From = {}) {
    return this.doors.inject('/rpc', from, { id: 1, method, params });
  }

  get place() {
    return PLACE;
  }
}
