/** E-mail addresses and the names of hosts. */
import { isIP, isIPv4, isIPv6 } from 'node:net';

const LABEL = /^[a-z0-9\u{80}-\u{10ffff}](?:[a-z0-9\u{80}-\u{10ffff}-]{0,61}[a-z0-9\u{80}-\u{10ffff}])?$/iu;
/** What reads as a float. */
const NUMBER = /^(?:\d+(?:e\d+)?|inf|infinity|nan)$/i;
const MAX_DOMAIN = 253;

/** Whether a text can be the name of a host: labels between dots, the last of which isn't a number. */
export function isDomain(text: string): boolean {
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  if (name.length > MAX_DOMAIN) return false;
  const labels = name.split('.');
  return labels.every((label) => LABEL.test(label)) && !NUMBER.test(labels.at(-1) as string);
}

export function isIpv4(text: string): boolean {
  return isIPv4(text);
}

/** Without a zone. */
export function isIpv6(text: string): boolean {
  return isIPv6(text) && !text.includes('%');
}

export interface Email {
  readonly user: string;
  /** A domain, or an IP address without its brackets. */
  readonly host: string;
}

const ATOMS = /^[^\s\p{Cc}()<>[\]:;@\\,."]+(?:\.[^\s\p{Cc}()<>[\]:;@\\,."]+)*$/u;
const QUOTED = /^"(?:[^"\\\p{Cc}]|\\.)*"$/u;
const MAX_EMAIL = 320;

/** Reads `user@host` (RFC 5322 without comments, with Unicode letters); `undefined` if it isn't one. */
export function parseEmail(text: string): Email | undefined {
  const at = text.lastIndexOf('@');
  if (at < 1 || text.length > MAX_EMAIL) return undefined;
  const user = text.slice(0, at);
  if (!ATOMS.test(user) && !QUOTED.test(user)) return undefined;
  const host = text.slice(at + 1);
  if (isDomain(host)) return { user, host };
  const address = /^\[(?:IPv6:)?([^\]]+)\]$/.exec(host)?.[1];
  return address !== undefined && isIP(address) !== 0 ? { user, host: address } : undefined;
}
