/**
 * `WITH PASSKEY DOMAIN 'shop.example' ORIGIN 'https://shop.example' VERIFICATION PREFERRED`: clauses in any order, each
 * once. What browsers would refuse later, or what would let others in, is refused where it is written.
 */
import { quoteString } from '../../value/text/quote.js';
import { PASSKEY_VERIFICATIONS, type PasskeyVerification, type PasskeyWay } from '../ast.js';
import type { Parser } from '../parser/parser.js';
import { clause, clauses } from '../printer/printer.js';
import type { ShownMembers } from './clause.js';
import type { WayGrammar } from './way-row.js';

export const PASSKEY: WayGrammar<PasskeyWay> = { words: ['PASSKEY'], usesSignin: false, parse, text, structure };

/** A text as it is written, and where. */
interface Written {
  readonly text: string;
  readonly mark: ReturnType<Parser['tokenMark']>;
}

function parse(parser: Parser): PasskeyWay {
  let domain: Written | undefined;
  let origins: readonly Written[] | undefined;
  let verification: PasskeyVerification | undefined;
  for (;;) {
    if (domain === undefined && parser.acceptWord('DOMAIN')) domain = written(parser);
    else if (origins === undefined && parser.acceptWord('ORIGIN')) origins = parser.commaList(() => written(parser));
    else if (verification === undefined && parser.acceptWord('VERIFICATION')) verification = verificationOf(parser);
    else break;
  }
  if (domain === undefined) parser.unexpected('DOMAIN');
  if (origins === undefined) parser.unexpected('ORIGIN');
  const { text: host } = domain;
  refuse(parser, domain, domainFault(host));
  for (const origin of origins) refuse(parser, origin, originFault(origin.text, host));
  return {
    kind: 'passkey',
    domain: host,
    origins: [...new Set(origins.map(({ text }) => text))],
    verification: verification ?? 'required',
  };
}

function text({ domain, origins, verification }: PasskeyWay): string {
  return clauses(
    clause('DOMAIN', domain, quoteString),
    clause('ORIGIN', origins, (all) => all.map(quoteString).join(', ')),
    verification === 'required' ? undefined : `VERIFICATION ${verification.toUpperCase()}`,
  ).trimStart();
}

function structure({ domain, origins, verification }: PasskeyWay): ShownMembers {
  return { domain, origins: [...origins], verification: verification.toUpperCase() };
}

function written(parser: Parser): Written {
  const mark = parser.tokenMark();
  return { text: parser.string(), mark };
}

function verificationOf(parser: Parser): PasskeyVerification {
  const found = PASSKEY_VERIFICATIONS.find((each) => parser.acceptWord(each.toUpperCase()));
  return found ?? parser.unexpected('REQUIRED or PREFERRED');
}

function refuse(parser: Parser, { mark }: Written, fault: string | undefined): void {
  if (fault !== undefined) parser.fail(fault, mark);
}

/** An IP address, as URLs have it: the name of a host ends in letters. */
const ADDRESS = /^\[|(?:^|\.)\d+$/;

/** What is wrong with a domain that passkeys are to be made for, if anything. */
function domainFault(domain: string): string | undefined {
  const url = `https://${domain}/`;
  const host = URL.canParse(url) ? new URL(url).hostname : undefined;
  if (host !== domain || domain.endsWith('.') || ADDRESS.test(domain))
    return 'Invalid DOMAIN: it must be the name of a host, such as `shop.example`, in lower case and without a port';
  return undefined;
}

/** What is wrong with the origin of a page that is to ask for passkeys of a domain, if anything. */
function originFault(origin: string, domain: string): string | undefined {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (url?.origin !== origin)
    return 'Invalid ORIGIN: it must be a scheme and a host, such as `https://shop.example`, as browsers write it';
  const { protocol, hostname } = url;
  if (hostname !== domain && !hostname.endsWith(`.${domain}`)) return `Invalid ORIGIN: it must be within ${domain}`;
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  if (protocol !== 'https:' && !(protocol === 'http:' && isLocal))
    return 'Invalid ORIGIN: it must begin with https://, but for localhost';
  return undefined;
}
