/** What sets up signing up and in, for each way: the statements of the recipes in `docs/guides/sign-in`. */
import { identifier, textLiteral } from '../../connection/surrealql.js';

export type SignUpWay = 'password' | 'mail' | 'passkey';

/** What the dialog asks for. Names are as they were typed. */
export interface SignUpEntries {
  readonly way: SignUpWay;
  readonly table: string;
  readonly access: string;
  /** Durations, such as 15m. */
  readonly token: string;
  readonly session: string;
  /** The origin of the page that uses passkeys. */
  readonly page: string;
}

export const DEFAULTS: SignUpEntries = {
  way: 'password',
  table: 'user',
  access: 'account',
  token: '15m',
  session: '12h',
  page: 'http://localhost:5173',
};

interface Template {
  readonly title: string;
  /** What it takes, in a sentence. */
  readonly about: string;
  /** The page of the guide that goes on from here. */
  readonly guide: string;
  /** What a user's own record allows them. */
  readonly allows: 'select' | 'select, update';
  /** Fields and indexes of the table, whose name is quoted. */
  fields(table: string): readonly string[];
  /** The clauses of the access method, before its durations. */
  clauses(table: string, entries: SignUpEntries): readonly string[];
}

export const SIGN_UP_TEMPLATES: Readonly<Record<SignUpWay, Template>> = {
  password: {
    title: 'E-mail and password',
    about: 'Passwords are stored as Argon2id hashes, which no record user can read.',
    guide: 'sign-up.md',
    allows: 'select, update',
    fields: (table) => [
      `DEFINE FIELD email ON ${table} TYPE string ASSERT string::is_email($value)`,
      `DEFINE FIELD password ON ${table} TYPE string PERMISSIONS NONE
  VALUE IF $value = $before THEN $value ELSE crypto::argon2::generate($value) END
  ASSERT string::len($input) >= 8 AND !password::common($input)`,
      emailIndex(table),
    ],
    clauses: (table) => [
      `SIGNUP (CREATE ${table} SET email = string::lowercase($email), password = $password)`,
      `SIGNIN (SELECT * FROM ${table}
    WHERE email = string::lowercase($email) AND crypto::argon2::compare(password, $password))`,
      'ERRORS DETAILED',
    ],
  },
  mail: {
    title: 'A code by mail',
    about: 'Needs a mail server: DEFINE CONFIG MAIL in the database, or --mail-url of the server.',
    guide: 'code-by-mail.md',
    allows: 'select',
    fields: (table) => [`DEFINE FIELD email ON ${table} TYPE string`, emailIndex(table)],
    clauses: (table) => [
      `SIGNUP (CREATE ${table} SET email = $identity.email)`,
      `SIGNIN (SELECT * FROM ${table} WHERE email = $email)`,
      'WITH MAIL CODE',
    ],
  },
  passkey: {
    title: 'A passkey',
    about:
      'Users unlock it by a fingerprint, a face or a PIN. It belongs to the domain of your page, which can’t change.',
    guide: 'passkeys.md',
    allows: 'select',
    fields: (table) => [`DEFINE FIELD name ON ${table} TYPE string ASSERT string::len($value) IN 1..=100`],
    clauses: (table, { page }) => [
      `SIGNUP (CREATE ${table} SET name = $name)`,
      `WITH PASSKEY DOMAIN ${textLiteral(domainOf(page))} ORIGIN ${textLiteral(page.trim())}`,
    ],
  },
};

/** The statements that set it up, in their order. Durations and the page are the server's to judge. */
export function signUpStatements(entries: SignUpEntries): readonly string[] {
  const { allows, fields, clauses } = SIGN_UP_TEMPLATES[entries.way];
  const table = identifier(entries.table.trim());
  const durations = `DURATION FOR TOKEN ${durationOf(entries.token)}, FOR SESSION ${durationOf(entries.session)}`;
  return [
    `DEFINE TABLE ${table} SCHEMAFULL PERMISSIONS FOR ${allows} WHERE id = $auth`,
    ...fields(table),
    [
      `DEFINE ACCESS ${identifier(entries.access.trim())} ON DATABASE TYPE RECORD`,
      ...clauses(table, entries),
      durations,
    ].join('\n  '),
  ];
}

/** Why they can't be used as they are; empty: they can. */
export function faultOf(entries: SignUpEntries): string {
  if (entries.table.trim() === '' || entries.access.trim() === '') return 'The table and the access method need names.';
  const wrong = [entries.token, entries.session].find((text) => !DURATION.test(text.trim()));
  if (wrong !== undefined) return `“${wrong}” is no duration. Write it like 30m, 12h or 7d.`;
  if (entries.way === 'passkey' && domainOf(entries.page) === '') return 'Write the page like https://shop.example.';
  return '';
}

const DURATION = /^([0-9]+(s|m|h|d|w|y))+$/;

/** Only what is a duration gets into a statement. */
function durationOf(text: string): string {
  const typed = text.trim();
  return DURATION.test(typed) ? typed : 'NONE';
}

function domainOf(page: string): string {
  return URL.canParse(page) ? new URL(page).hostname : '';
}

function emailIndex(table: string): string {
  // The name of an index counts within its table.
  return `DEFINE INDEX user_email ON ${table} FIELDS email UNIQUE`;
}
