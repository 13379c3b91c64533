/** The source of a request, where clients are counted by their addresses. */
import { isIPv4, isIPv6 } from 'node:net';

/** The IPv4 address, or the /64 network of an IPv6 address, which one customer controls. */
export function networkOf(address: string): string {
  const plain = plainAddress(address);
  if (!isIPv6(plain)) return plain;
  const network = groupsOf(plain).slice(0, 4);
  return `${network.map((group) => group.toString(16)).join(':')}::/64`;
}

/** An IPv4 address instead of the IPv6 address as which sockets of IPv6 show it (RFC 4291, section 2.5.5.2). */
export function plainAddress(address: string): string {
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address);
  if (groups[5] !== 0xffff || groups.slice(0, 5).some((group) => group !== 0)) return address;
  const [high, low] = groups.slice(6) as [number, number];
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

/** The eight groups of an IPv6 address in any spelling. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = (address.split('%')[0] as string).split('::');
  const before = groupsIn(head);
  const after = tail === undefined ? [] : groupsIn(tail);
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function groupsIn(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (!isIPv4(part)) return Number.parseInt(part, 16);
    const [a, b, c, d] = part.split('.').map(Number) as [number, number, number, number];
    return [(a << 8) | b, (c << 8) | d];
  });
}
