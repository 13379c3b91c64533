/**
 * Addresses of mails. They are checked before a library sees them: mail libraries read lists, groups, comments and line
 * breaks in an address, and so send to several.
 */
import { domainToASCII } from 'node:url';

/** Characters of an address, and of the part before `@` (RFC 5321 §4.5.3.1). */
const LONGEST_ADDRESS = 254;
const LONGEST_LOCAL_PART = 64;
/** A dot-atom of RFC 5322 §3.2.3, in ASCII. */
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
/** Labels of a host name, as `domainToASCII` gives them. */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Host names end in no number: those that do are addresses of machines. */
const NUMBER = /(?:^|\.)[0-9]+$/;
/** What `domainToASCII` takes apart or maps away, so that two texts would be one address. */
const NO_DOMAIN = /[\s\p{C}@,;:<>()[\]\\"/?#%＠。．｡]/u;

/**
 * The one form of an address, in which addresses are compared: lower case, the domain in ASCII. `undefined` for
 * anything else than the text of exactly one address.
 *
 *     mailAddress('Ann@Example.COM')      // 'ann@example.com'
 *     mailAddress('a@b.com, c@d.com')     // undefined
 */
export function mailAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > LONGEST_ADDRESS) return undefined;
  const at = value.indexOf('@');
  const local = value.slice(0, at);
  const domain = value.slice(at + 1);
  if (at < 1 || at > LONGEST_LOCAL_PART || !LOCAL_PART.test(local) || NO_DOMAIN.test(domain)) return undefined;
  const ascii = domainToASCII(domain);
  if (!DOMAIN.test(ascii) || NUMBER.test(ascii)) return undefined;
  const address = `${local}@${ascii}`.toLowerCase();
  return address.length > LONGEST_ADDRESS ? undefined : address;
}

/** A sender: what is shown, possibly empty, and its address. */
export interface SenderAddress {
  readonly name: string;
  readonly address: string;
}

const LONGEST_NAME = 100;
const NO_NAME = /[\p{C}\p{Zl}\p{Zp}"<>]/u;

/**
 * Reads `The Shop <no-reply@shop.example>` or an address alone; `undefined` for anything else. The name is text without
 * quotes and control characters.
 */
export function readMailSender(text: string): SenderAddress | undefined {
  const [, name = '', bracketed = text] = /^([^<]*)<([^<>]*)>$/.exec(text) ?? [];
  const address = mailAddress(bracketed);
  const shown = name.trim();
  if (address === undefined || shown.length > LONGEST_NAME || NO_NAME.test(shown)) return undefined;
  return { name: shown, address };
}
