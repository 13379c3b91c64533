/** Attack A8: open redirects. Only what is listed, character for character; ports of this machine's addresses apart. */
import { expect, test } from 'vitest';
import {
  assertRedirect,
  canonicalPublicUrl,
  publicUrlFault,
  publicUrlOf,
  redirectAllowed,
  redirectFault,
  redirectSource,
} from '../../src/catalog/definitions/web-addresses.js';
import { TesseraError } from '../../src/errors/error.js';

const LISTED = ['https://shop.example/in', 'http://127.0.0.1/', 'http://[::1]:8080/in?a=b', 'http://localhost:5173/'];

test.each([
  ...LISTED,
  'http://127.0.0.1:5173/',
  'http://127.0.0.1:65535/',
  'http://[::1]/in?a=b',
  'http://[::1]:3000/in?a=b',
])('%s is allowed', (text) => {
  expect(redirectAllowed(LISTED, text)).toBe(true);
});

test.each([
  'https://shop.example/in/',
  'https://shop.example/inside',
  'https://shop.example/in?next=https://evil.example',
  'https://shop.example/in#evil',
  'https://shop.example/in/../in',
  'https://shop.example/./in',
  'https://shop.example//in',
  'https://shop.example',
  'https://shop.example.evil.example/in',
  'https://evil.shop.example/in',
  'https://shop.example@evil.example/in',
  'https://ann@shop.example/in',
  'https://shop.example:443/in',
  'https://shop.example:444/in',
  'http://shop.example/in',
  'HTTPS://shop.example/in',
  'https://Shop.example/in',
  'https://shop.example/IN',
  'https://shop.example./in',
  'https:\\\\shop.example\\in',
  'https:/shop.example/in',
  'https:shop.example/in',
  '//shop.example/in',
  '/in',
  ' https://shop.example/in',
  'https://shop.example/in\n',
  'https://shop.example/in\0',
  'https://shop.exam\tple/in',
  'https://shop.example/%69n',
  'javascript:alert(1)//https://shop.example/in',
  'data:text/html,https://shop.example/in',
  'http://127.0.0.1:5173/evil',
  'http://127.0.0.1:5173/?a',
  'http://127.0.0.1:5173/#a',
  'http://ann@127.0.0.1:5173/',
  'http://127.0.0.1:5173@evil.example/',
  'http://127.0.0.2:5173/',
  'http://127.1:5173/',
  'http://2130706433/',
  'http://127.0.0.1.evil.example/',
  'http://127.0.0.1:80/',
  'https://127.0.0.1:5173/',
  'http://[::ffff:127.0.0.1]/in?a=b',
  'http://localhost:5174/',
  'http://localhost/',
  '',
  ['https://shop.example/in'],
  { href: 'https://shop.example/in' },
  null,
  undefined,
])('%j is not', (text) => {
  expect(redirectAllowed(LISTED, text)).toBe(false);
  expect(() => assertRedirect(LISTED, text)).toThrow(expect.objectContaining({ code: 'redirect_unknown' }));
});

test('what isn’t written as browsers write it can’t be listed', () => {
  const fault = (text: string) => redirectFault(text, ({ hostname }) => hostname === 'intranet');
  for (const text of [...LISTED, 'http://intranet/']) expect(fault(text)).toBeUndefined();
  expect(fault('https://Shop.example')).toBe("it must be written 'https://shop.example/'");
  for (const text of ['http://shop.example/', 'https://shop.example/#', 'https://a:b@shop.example/', 'ftp://a/', 'in'])
    expect(fault(text)).toEqual(expect.any(String));
});

test('the address of the server is one that its operator names', () => {
  const urls = ['https://db.example', 'https://other.example/db'];
  const config = { kind: 'auth', redirects: [], notify: true } as const;
  expect(publicUrlOf(undefined, urls)).toBe('https://db.example');
  expect(publicUrlOf(config, urls)).toBe('https://db.example');
  expect(publicUrlOf({ ...config, url: 'https://other.example/db/' }, urls)).toBe('https://other.example/db');
  const missing = expect.objectContaining({ code: 'public_url_missing' });
  for (const [given, of] of [
    [config, []],
    [{ ...config, url: 'https://evil.example' }, urls],
  ] as const) {
    let thrown: unknown;
    try {
      publicUrlOf(given, of);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(TesseraError);
    expect(thrown).toEqual(missing);
  }
});

test('addresses of the server are compared without a slash at their end', () => {
  expect(canonicalPublicUrl('https://DB.example/')).toBe('https://db.example');
  for (const text of ['https://db.example/a', 'http://192.0.2.1:8000']) expect(publicUrlFault(text)).toBeUndefined();
  for (const text of ['db.example', 'https://a@b/', 'https://b/?', 'https://b/#', 'ws://b/', ''])
    expect(publicUrlFault(text)).toEqual(expect.any(String));
});

test('forms may lead on to what is listed, at any port of this machine', () => {
  expect(redirectSource('https://shop.example:444/in?a=1')).toBe('https://shop.example:444');
  expect(redirectSource('http://127.0.0.1/in')).toBe('http://127.0.0.1:*');
  expect(redirectSource('http://127.0.0.1:5173/')).toBe('http://127.0.0.1:*');
  expect(redirectSource('http://localhost:5173/')).toBe('http://localhost:5173');
  expect(redirectSource('http://[::1]/')).toBe('http:');
});
