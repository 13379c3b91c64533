/** How programs use a sign-up that was set up, with the names that it has: to be copied. */
import { quoted, shellQuoted, socketOf } from '../../base/code-text.js';
import type { SignUpEntries, SignUpWay } from './sign-up-templates.js';

/** Where the database is. */
export interface Place {
  /** The origin of the server, such as http://127.0.0.1:8000. */
  readonly server: string;
  readonly namespace: string;
  readonly database: string;
}

export interface Call {
  readonly title: string;
  readonly code: string;
}

/** The calls of a way. Passkeys are made in browsers alone. */
export function callsOf({ way, access }: SignUpEntries, place: Place): readonly Call[] {
  return CALLS[way]({ ...place, access: access.trim() });
}

type Named = Place & { readonly access: string };

const CALLS: Readonly<Record<SignUpWay, (named: Named) => readonly Call[]>> = {
  password: (named) => [
    {
      title: 'JavaScript',
      code: `${connected(named)}
const variables = { email: 'ann@example.com', password: 'correct horse battery' };
await db.signup({ ...place, variables });
// Later, or at another device:
await db.signin({ ...place, variables });`,
    },
    {
      title: 'curl',
      code: ['signup', 'signin']
        .map((path) => {
          const { namespace: NS, database: DB, access: AC } = named;
          const body = { NS, DB, AC, email: 'ann@example.com', password: 'correct horse battery' };
          return curl(`${named.server}/${path}`, body);
        })
        .join('\n'),
    },
    {
      title: 'Python',
      code: `${connectedInPython(named)}
    user = {**place, "variables": {"email": "ann@example.com", "password": "correct horse battery"}}
    db.signup(user)
    # Later, or at another device:
    db.signin(user)`,
    },
  ],
  mail: (named) => [
    {
      title: 'JavaScript',
      code: `${connected(named)}
${challenge}
const answer = await fetch(${quoted(startOf(named))}, {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json' },
  body: JSON.stringify({ email: 'ann@example.com', challenge }),
});
const { request } = await answer.json();
// The code that the user types:
const code = '12345678';
await db.signin({ ...place, variables: { request, code } });`,
    },
    {
      title: 'curl',
      code: `${curl(startOf(named), { email: 'ann@example.com', challenge: 'A'.repeat(43) })}
${curl(`${named.server}/signin`, {
  NS: named.namespace,
  DB: named.database,
  AC: named.access,
  request: 'THE REQUEST OF THE ANSWER',
  code: '12345678',
})}`,
    },
    {
      title: 'Python',
      code: `import json, secrets, urllib.request
${connectedInPython(named)}
    body = json.dumps({"email": "ann@example.com", "challenge": secrets.token_urlsafe(32)}).encode()
    headers = {"content-type": "application/json", "accept": "application/json"}
    start = urllib.request.Request(${quoted(startOf(named))}, body, headers)
    answer = json.load(urllib.request.urlopen(start))
    db.signin({**place, "variables": {"request": answer["request"], "code": input("Code: ")}})`,
    },
  ],
  passkey: (named) => [
    {
      title: 'JavaScript',
      code: `${connected(named)}
${challenge}
async function start(body) {
  const answer = await fetch(${quoted(startOf(named))}, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ challenge, ...body }),
  });
  return answer.json();
}

async function signUp(name) {
  const { request, options } = await start({ signup: true, variables: { name } });
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = (await navigator.credentials.create({ publicKey })).toJSON();
  await db.signin({ ...place, variables: { request, credential, name } });
}

async function signIn() {
  const { request, options } = await start({});
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = (await navigator.credentials.get({ publicKey })).toJSON();
  await db.signin({ ...place, variables: { request, credential } });
}`,
    },
  ],
};

/** The server wants the digest of a secret of this page. Without links, random bytes do. */
const challenge = `const bytes = crypto.getRandomValues(new Uint8Array(32));
const challenge = btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');`;

function connected({ server, namespace, database, access }: Named): string {
  return `import { Surreal } from 'surrealdb';

const place = { namespace: ${quoted(namespace)}, database: ${quoted(database)}, access: ${quoted(access)} };
const db = new Surreal();
await db.connect(${quoted(`${socketOf(server)}/rpc`)});`;
}

function connectedInPython({ server, namespace, database, access }: Named): string {
  return `from surrealdb import Surreal

place = {"namespace": ${quoted(namespace)}, "database": ${quoted(database)}, "access": ${quoted(access)}}
with Surreal(${quoted(socketOf(server))}) as db:`;
}

function curl(address: string, body: object): string {
  return `curl -s ${shellQuoted(address)} \\
  -H 'Content-Type: application/json' -H 'Accept: application/json' \\
  -d ${shellQuoted(JSON.stringify(body))}`;
}

function startOf({ server, namespace, database, access }: Named): string {
  return `${server}/auth/${[namespace, database, access].map(encodeURIComponent).join('/')}/start`;
}
