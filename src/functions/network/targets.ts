/**
 * Network rules: which hosts the database may call. Default: none. Specific rules take precedence over general ones,
 * and denying over allowing. Addresses of this machine and of private networks must be allowed as addresses, since a
 * name can point anywhere (DNS rebinding).
 */
import { BlockList, isIP } from 'node:net';
import { lazy } from '../../base/lazy.js';

/** `all`, or hosts and addresses: `example.com`, `example.com:8443`, `10.1.2.3:80`, `192.0.2.0/24`, `[::1]:80`. */
export type AllowedTargets = 'all' | readonly NetworkTarget[];

export interface NetworkTarget {
  /** A host name in lower case. */
  readonly host?: string;
  /** Instead of it, addresses. */
  readonly addresses?: BlockList;
  /** Default: any port. */
  readonly port?: number;
}

export interface NetworkTargets {
  readonly allow: AllowedTargets;
  readonly deny: AllowedTargets;
}

export const NO_TARGETS: NetworkTargets = { allow: [], deny: [] };

/** The destination of a request: the host of the URL, and the addresses that it resolves to. */
export interface Destination {
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly string[];
}

/** Whether a destination may be called. */
export function mayCall({ allow, deny }: NetworkTargets, destination: Destination): boolean {
  const { addresses } = destination;
  if (addresses.length === 0) return false;
  if (deny !== 'all' && deny.some((target) => namesSome(target, destination))) return false;
  if (addresses.some((address) => isSpecial(address) && !isGiven(allow, address, destination))) return false;
  return isNamed({ allow }, destination) || (allow === 'all' && deny !== 'all');
}

/** Whether a destination is allowed, by its host or by its addresses. */
export function isNamed({ allow }: Pick<NetworkTargets, 'allow'>, destination: Destination): boolean {
  if (allow === 'all') return false;
  return (
    allow.some(({ host, port }) => host === destination.host && fitsPort(port, destination)) ||
    (destination.addresses.length > 0 && destination.addresses.every((address) => isGiven(allow, address, destination)))
  );
}

function isGiven(allow: AllowedTargets, address: string, destination: Destination): boolean {
  return allow !== 'all' && allow.some((target) => holds(target, address, destination));
}

/**
 * Whether a host may be called subject to its addresses; checked before the lookup, which reveals the name to others.
 */
export function mayLookUp({ allow, deny }: NetworkTargets, host: string, port: number): boolean {
  const destination = { host, port, addresses: [] };
  if (deny !== 'all' && deny.some((target) => target.host === host && fitsPort(target.port, destination))) return false;
  if (allow === 'all') return deny !== 'all';
  return allow.some(
    (target) => (target.host === host || target.addresses !== undefined) && fitsPort(target.port, destination),
  );
}

function namesSome(target: NetworkTarget, destination: Destination): boolean {
  if (target.host !== undefined) return target.host === destination.host && fitsPort(target.port, destination);
  return destination.addresses.some((address) => holds(target, address, destination));
}

function holds({ addresses, port }: NetworkTarget, address: string, destination: Destination): boolean {
  return addresses !== undefined && fitsPort(port, destination) && isIn(addresses, address);
}

function fitsPort(port: number | undefined, destination: Destination): boolean {
  return port === undefined || port === destination.port;
}

function isIn(addresses: BlockList, address: string): boolean {
  const plain = unmapped(address);
  return addresses.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

/** `::ffff:127.0.0.1`, which is `::ffff:7f00:1` as well, is 127.0.0.1 in other clothes. */
function unmapped(address: string): string {
  const [, dotted, high, low] =
    /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i.exec(address) ?? [];
  if (high === undefined || low === undefined) return dotted ?? address;
  const bits = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.');
}

/**
 * Special-purpose addresses (IANA registries). Lazy, since most servers make no calls and Node takes milliseconds to
 * parse its first address.
 */
const SPECIAL = networks([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);
/** All of IPv6 but the allocated block, and in it ranges that map to other addresses. */
const GLOBAL_V6 = networks(['2000::/3']);
const SPECIAL_V6 = networks(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

function isSpecial(address: string): boolean {
  const plain = unmapped(address);
  if (isIP(plain) === 4) return SPECIAL().check(plain);
  return !GLOBAL_V6().check(plain, 'ipv6') || SPECIAL_V6().check(plain, 'ipv6');
}

function networks(list: readonly string[]): () => BlockList {
  return lazy(() => blockList(list));
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** Reads one target; `undefined` if the text is none. */
export function readTarget(text: string): NetworkTarget | undefined {
  const network = /^([0-9a-f.:]+)\/(\d{1,3})$/i.exec(text);
  if (network !== null) {
    const family = isIP(network[1] as string);
    return family === 0 || Number(network[2]) > (family === 4 ? 32 : 128)
      ? undefined
      : { addresses: blockList([text]) };
  }
  if (isIP(text) !== 0) return { addresses: single(text) };
  const [, v6, plain = '', digits] = /^(?:\[([0-9a-f.:]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const port = digits === undefined ? {} : { port: Number(digits) };
  if ((port.port ?? 0) > 65535) return undefined;
  if (v6 !== undefined) return isIP(v6) === 6 ? { addresses: single(v6), ...port } : undefined;
  if (plain === '') return undefined;
  return isIP(plain) === 4 ? { addresses: single(plain), ...port } : { host: plain.toLowerCase(), ...port };
}

function single(address: string): BlockList {
  const plain = unmapped(address);
  return blockList([`${plain}/${isIP(plain) === 6 ? 128 : 32}`]);
}
