/** What DEFINE ACCESS … WITH PASSKEY refuses, and where. */
import { expect, test } from 'vitest';
import { parseQuery } from '../../src/language/parse.js';

const WAY = 'DEFINE ACCESS passkey ON DATABASE TYPE RECORD WITH PASSKEY\n';
const A = `DOMAIN 'a.example'`;
const AT_A = `${A} ORIGIN 'https://a.example'`;

test.each([
  ['no origin', A, 'expected ORIGIN', 18],
  ['no domain', `ORIGIN 'https://a.example'`, 'expected DOMAIN', 26],
  ['another domain that ends so', `${A} ORIGIN 'https://xa.example'`, 'must be within a.example', 27],
  ['another domain that begins so', `${A} ORIGIN 'https://a.example.evil.example'`, 'must be within a.example', 27],
  ['the domain above', `${A} ORIGIN 'https://example'`, 'must be within a.example', 27],
  ['the second of two', `${AT_A}, 'https://b.example'`, 'must be within a.example', 48],
  ['an origin before the domain', `ORIGIN 'https://b.example' ${A}`, 'must be within a.example', 8],
  ['no TLS', `${A} ORIGIN 'http://a.example'`, 'must begin with https://, but for localhost', 27],
  ['another scheme', `${A} ORIGIN 'ftp://a.example'`, 'must begin with https://', 27],
  ['a path', `${A} ORIGIN 'https://a.example/'`, 'as browsers write it', 27],
  ['a user', `${A} ORIGIN 'https://eve@a.example'`, 'as browsers write it', 27],
  ['capitals', `${A} ORIGIN 'https://A.example'`, 'as browsers write it', 27],
  ['a port of its own', `${A} ORIGIN 'https://a.example:443'`, 'as browsers write it', 27],
  ['no address', `${A} ORIGIN 'a.example'`, 'as browsers write it', 27],
  ['an IP address', `DOMAIN '127.0.0.1' ORIGIN 'http://127.0.0.1:8000'`, 'the name of a host', 8],
  ['an address for a domain', `DOMAIN 'https://a.example' ORIGIN 'https://a.example'`, 'the name of a host', 8],
  ['a port', `DOMAIN 'a.example:8443' ORIGIN 'https://a.example:8443'`, 'the name of a host', 8],
  ['a dot at the end', `DOMAIN 'a.example.' ORIGIN 'https://a.example.'`, 'the name of a host', 8],
  ['nothing', `DOMAIN '' ORIGIN 'https://a.example'`, 'the name of a host', 8],
  ['a domain twice', `${AT_A} DOMAIN 'b.example'`, 'Unexpected token', 47],
  ['no such verification', `${AT_A} VERIFICATION NONE`, 'expected REQUIRED or PREFERRED', 60],
  ['two ways', `${AT_A} WITH MAIL CODE`, 'PASSKEY is its way already', 52],
])('%s', (_, clauses, message, column) => {
  let error: unknown;
  try {
    parseQuery(WAY + clauses);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ code: 'parse_error', message: expect.stringContaining(message) });
  expect(error).toMatchObject({ position: { line: 2, column } });
});
