/** A code by mail for clients of tests: begun by a plain call, and read from a table that the mails are written to. */
import { createHash } from 'node:crypto';
import type { Surreal } from 'surrealdb';

/** The access method `mail`, whose mails become records of `outbox`. */
export const MAIL_SCHEMA = `
  DEFINE TABLE outbox;
  DEFINE CONFIG MAIL FROM 'shop@shop.example' THEN { CREATE outbox CONTENT $mail };
  DEFINE ACCESS mail ON DATABASE TYPE RECORD SIGNUP (CREATE user SET email = $identity.email)
    SIGNIN (SELECT * FROM user WHERE email = $email) WITH MAIL CODE;
`;

/** What redeems a request for an address. */
export interface MailedCode {
  readonly request: string;
  readonly code: string;
}

/** @param root a client of either generation, signed in as an owner, with the database selected */
export async function mailedCode(
  { url }: { readonly url: string },
  root: { query: Surreal['query'] },
  database: string,
  email: string,
): Promise<MailedCode> {
  const challenge = createHash('sha256').update('v'.repeat(43)).digest('base64url');
  const answer = await fetch(`${url}/auth/test/${database}/mail/start`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ challenge, email }),
  });
  const { request } = (await answer.json()) as { request: string };
  for (;;) {
    const [codes = []] = await root.query<[string[]]>('SELECT VALUE code FROM outbox WHERE to = $email', { email });
    const [code] = codes;
    if (code !== undefined) return { request, code };
  }
}
