/** `parse::*`: the parts of e-mail addresses and URLs. */
import { isIPv4 } from 'node:net';
import type { Value } from '../value/value.js';
import type { FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { text } from './calls/parameters.js';
import { parseEmail } from './string/email.js';

function ofUrl(name: string, what: string, part: (url: URL) => Value, returns = 'option<string>'): FunctionRow {
  return define(`parse::url::${name}`, [text('url')], returns, `${what} of a URL; NONE if there is none.`, (url) =>
    URL.canParse(url) ? part(new URL(url)) : undefined,
  );
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'ftp:': 21,
  'http:': 80,
  'https:': 443,
  'ws:': 80,
  'wss:': 443,
};

const host = (url: URL): string | undefined => url.hostname || undefined;

/** The part behind its separator; an empty part differs from a missing one. */
function behind(mark: '?' | '#', url: URL): string | undefined {
  const [beforeFragment, ...fragment] = url.href.split('#');
  if (mark === '#') return fragment.length === 0 ? undefined : fragment.join('#');
  const [, ...query] = (beforeFragment as string).split('?');
  return query.length === 0 ? undefined : query.join('?');
}

export const parseFunctions: readonly FunctionRow[] = [
  define(
    'parse::email::host',
    [text('email')],
    'option<string>',
    'The host of an e-mail address; NONE if it isn’t one.',
    (email) => parseEmail(email)?.host,
  ),
  define(
    'parse::email::user',
    [text('email')],
    'option<string>',
    'The user of an e-mail address; NONE if it isn’t one.',
    (email) => parseEmail(email)?.user,
  ),
  ofUrl('domain', 'The host', (url) => {
    const name = host(url);
    return name === undefined || isIPv4(name) || name.startsWith('[') ? undefined : name;
  }),
  ofUrl('fragment', 'The part behind #', (url) => behind('#', url)),
  ofUrl('host', 'The host or IP address', host),
  ofUrl('path', 'The path', (url) => url.pathname),
  ofUrl(
    'port',
    'The port, or the usual one',
    (url) => (url.port === '' ? DEFAULT_PORTS[url.protocol] : Number(url.port)),
    'option<int>',
  ),
  ofUrl('query', 'The part behind ?', (url) => behind('?', url)),
  ofUrl('scheme', 'The scheme', (url) => url.protocol.slice(0, -1)),
];
