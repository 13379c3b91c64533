/** The headers that select namespace, database and session, in all their spellings. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { failure } from '../../errors/error.js';

/** What the headers select. */
export interface RequestSelection {
  readonly namespace: string | undefined;
  readonly database: string | undefined;
  /** The client's name for its session. */
  readonly id: string | undefined;
  /** The level of the user of Basic authentication. */
  readonly authNamespace: string | undefined;
  readonly authDatabase: string | undefined;
}

/** Ours, those of 2.x and 3.x, those of 1.x. Node gives header names in lower case. */
const SPELLINGS: Readonly<Record<keyof RequestSelection, readonly string[]>> = {
  namespace: ['svc-ns', 'surreal-ns', 'ns'],
  database: ['svc-db', 'surreal-db', 'db'],
  id: ['svc-id', 'surreal-id', 'id'],
  authNamespace: ['svc-auth-ns', 'surreal-auth-ns'],
  authDatabase: ['svc-auth-db', 'surreal-auth-db'],
};

/** Every header name above, for CORS. */
export const SELECTION_HEADERS: readonly string[] = Object.values(SPELLINGS).flat();

const LONGEST = 1024;
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters on purpose
const CONTROL = /[\u0000-\u001f\u007f]/;

/** @throws TesseraError `header_conflict`, `header_invalid` */
export function readSelection(request: IncomingMessage): RequestSelection {
  return {
    namespace: readOne(request, SPELLINGS.namespace),
    database: readOne(request, SPELLINGS.database),
    id: readOne(request, SPELLINGS.id),
    authNamespace: readOne(request, SPELLINGS.authNamespace),
    authDatabase: readOne(request, SPELLINGS.authDatabase),
  };
}

/**
 * The selection from other names and values; names in lower case.
 * @throws TesseraError `header_conflict`, `header_invalid`
 */
export function selectionOf(given: ReadonlyMap<string, unknown>): RequestSelection {
  const one = (spellings: readonly string[]): string | undefined => {
    const [first, other] = spellings
      .map((name) => ({ name, value: textOf(name, given.get(name)) }))
      .filter(({ value }, at, all) => value !== undefined && all.findIndex((each) => each.value === value) === at);
    if (first !== undefined && other !== undefined)
      throw failure('header_conflict', { names: [first.name, other.name] });
    return first?.value;
  };
  return {
    namespace: one(SPELLINGS.namespace),
    database: one(SPELLINGS.database),
    id: one(SPELLINGS.id),
    authNamespace: one(SPELLINGS.authNamespace),
    authDatabase: one(SPELLINGS.authDatabase),
  };
}

/**
 * A value that must be a string if present.
 * @throws TesseraError `header_invalid`
 */
export function textOf(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw failure('header_invalid', { name, reason: 'is not a string' });
  if (value === '') throw failure('header_invalid', { name, reason: 'is empty' });
  return checkText(value, name);
}

function readOne(request: IncomingMessage, spellings: readonly string[]): string | undefined {
  let found: string | undefined;
  let foundAs = '';
  for (const name of spellings) {
    const header = request.headers[name];
    if (header === undefined) continue;
    const value = readText(name, single(request, name, String(header)));
    if (found !== undefined && found !== value) throw failure('header_conflict', { names: [foundAs, name] });
    found = value;
    foundAs = name;
  }
  return found;
}

/** Node joins repeated headers with a comma; equal repetitions count once. */
function single(request: IncomingMessage, name: string, joined: string): string {
  if (!joined.includes(',')) return joined;
  const distinct = new Set(request.headersDistinct[name]);
  if (distinct.size > 1) throw failure('header_conflict', { names: [name, name] });
  return distinct.values().next().value ?? joined;
}

/** Node reads headers as Latin-1, while names of namespaces may be any Unicode text, sent as UTF-8. */
function readText(name: string, raw: string): string {
  if (raw === '') throw failure('header_invalid', { name, reason: 'is empty' });
  if (raw.length > LONGEST) throw failure('header_invalid', { name, reason: `is longer than ${LONGEST} bytes` });
  if (isAscii(raw)) return checkText(raw, name);
  const bytes = Buffer.from(raw, 'latin1');
  if (!isUtf8(bytes)) throw failure('header_invalid', { name, reason: 'is not valid UTF-8' });
  return checkText(bytes.toString('utf8'), name);
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false;
  return true;
}

/** Names must not contain control characters. */
function checkText(text: string, name: string): string {
  if (CONTROL.test(text)) throw failure('header_invalid', { name, reason: 'holds a control character' });
  return text;
}

/** `checkText` for names in the query string. @throws TesseraError `query_parameter_invalid` */
export function checkQueryName(text: string, name: string): string {
  if (text === '' || text.length > LONGEST || CONTROL.test(text)) {
    throw failure('query_parameter_invalid', { reason: `gives no valid name as "${name}"` });
  }
  return text;
}
