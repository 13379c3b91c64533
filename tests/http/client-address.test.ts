import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type ClientAddressSource, clientAddress } from '../../src/http/base/client-address.js';
import { readNetworks } from '../../src/server/setting.js';

const request = (peer: string, forwarded?: string) =>
  ({
    socket: { remoteAddress: peer },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

const behind: ClientAddressSource = {
  from: 'header',
  header: 'x-forwarded-for',
  trusted: readNetworks('10.0.0.0/8, ::1'),
};

describe('the address of a client', () => {
  it.each([
    ['203.0.113.7', undefined, '203.0.113.7'],
    // Only the proxy is believed.
    ['203.0.113.7', '1.2.3.4', '203.0.113.7'],
    ['10.0.0.1', '1.2.3.4', '1.2.3.4'],
    ['::ffff:10.0.0.1', '1.2.3.4', '1.2.3.4'],
    ['::1', '2001:db8::1', '2001:db8::1'],
    // What the client itself wrote stands first.
    ['10.0.0.1', '6.6.6.6, 1.2.3.4', '1.2.3.4'],
    ['10.0.0.1', '6.6.6.6, 1.2.3.4, 10.0.0.2', '1.2.3.4'],
    ['10.0.0.1', 'nonsense', '10.0.0.1'],
    ['10.0.0.1', 'nonsense, 10.0.0.2', '10.0.0.2'],
    ['10.0.0.1', '', '10.0.0.1'],
  ])('%s with %j is %s', (peer, forwarded, address) => {
    expect(clientAddress(request(peer, forwarded), behind)).toBe(address);
  });

  it('is the socket’s, or is not recorded', () => {
    expect(clientAddress(request('10.0.0.1', '1.2.3.4'), { from: 'socket' })).toBe('10.0.0.1');
    expect(clientAddress(request('10.0.0.1', '1.2.3.4'), { from: 'none' })).toBeUndefined();
  });
});
