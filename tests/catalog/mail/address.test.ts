/** Addresses of mails, senders and mail servers. */
import { expect, test } from 'vitest';
import { mailAddress, readMailSender } from '../../../src/catalog/mail/address.js';
import { readSmtpUrl } from '../../../src/catalog/mail/smtp-url.js';

test.each([
  ['ann@example.com', 'ann@example.com'],
  ['Ann@Example.COM', 'ann@example.com'],
  ["o'neil+shop@mail.example.com", "o'neil+shop@mail.example.com"],
  ['ann@büro.example', 'ann@xn--bro-hoa.example'],
  ['ann@BU\u0308RO.example', 'ann@xn--bro-hoa.example'],
  [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
])('%s is an address', (text, address) => {
  expect(mailAddress(text)).toBe(address);
  expect(mailAddress(address)).toBe(address);
});

test.each([
  '',
  'ann',
  '@example.com',
  'ann@',
  'ann@@example.com',
  'ann@example.com@evil.example',
  'ann@example.com,eve@evil.example',
  'ann,eve@evil.example',
  'ann@example.com\r\nBcc: eve@evil.example',
  'ann@example.com\n',
  ' ann@example.com',
  'ann@example.com ',
  'a nn@example.com',
  'ann@exam ple.com',
  'friends:ann@example.com;',
  '"ann"@example.com',
  '"ann@evil.example"@example.com',
  'Ann <ann@example.com>',
  '<ann@example.com>',
  'ann(comment)@example.com',
  'ann@[127.0.0.1]',
  'ann@127.0.0.1',
  'ann@1',
  'ann@example.1',
  'ann＠example.com',
  'ann@example．com',
  'ann@example。com',
  'änn@example.com',
  'ann@example.com\0',
  'a\0nn@example.com',
  'ann@exa\u00admple.com',
  'ann@exa\u202emple.com',
  '.ann@example.com',
  'ann.@example.com',
  'a..nn@example.com',
  'ann@.example.com',
  'ann@example..com',
  'ann@-example.com',
  'ann@example.com/evil',
  'ann@example.com?evil',
  'ann@ex%61mple.com',
  `${'a'.repeat(65)}@example.com`,
  `ann@${'a'.repeat(64)}.com`,
  `ann@${'a.'.repeat(200)}com`,
  `ann@${'ü'.repeat(60)}.${'ü'.repeat(60)}.${'ü'.repeat(60)}.${'ü'.repeat(60)}.com`,
  ['ann@example.com'],
  { address: 'ann@example.com' },
  1,
  null,
  undefined,
])('%j is no address', (value) => {
  expect(mailAddress(value)).toBeUndefined();
});

test.each([
  ['The Shop <no-reply@shop.example>', { name: 'The Shop', address: 'no-reply@shop.example' }],
  ['<no-reply@shop.example>', { name: '', address: 'no-reply@shop.example' }],
  ['no-reply@shop.example', { name: '', address: 'no-reply@shop.example' }],
  ['Café, Shop & more <a@b.example>', { name: 'Café, Shop & more', address: 'a@b.example' }],
  ['"Shop" <a@b.example>', undefined],
  ['Shop\r\nBcc: eve@evil.example <a@b.example>', undefined],
  ['Shop <a@b.example>, c@d.example', undefined],
  ['Shop <a@b.example', undefined],
  [`${'a'.repeat(101)} <a@b.example>`, undefined],
])('%j is read as a sender', (text, sender) => {
  expect(readMailSender(text)).toEqual(sender);
});

test.each([
  ['smtps://shop@mail.example:465', { host: 'mail.example', port: 465, implicitTls: true, user: 'shop' }],
  ['smtps://mail.example', { host: 'mail.example', port: 465, implicitTls: true }],
  ['smtp://Mail.Example/', { host: 'mail.example', port: 587, implicitTls: false }],
  ['smtp://ann%40shop.example@[::1]:25', { host: '::1', port: 25, implicitTls: false, user: 'ann@shop.example' }],
])('%s is the address of a mail server', (text, server) => {
  expect(readSmtpUrl(text)).toEqual(server);
});

test.each([
  'mail.example',
  'http://mail.example',
  'smtp://',
  'smtp://mail.example/a',
  'smtp://mail.example?a',
  'smtp://mail.example#a',
  'smtp://a:b@mail.example',
  'smtp://%0d%0a@mail.example',
  'smtp://%ff@mail.example',
  'smtp://mail.example:99999',
  'smtp://ma il.example',
])('%j is no address of a mail server', (text) => {
  expect(readSmtpUrl(text)).toEqual(expect.any(String));
});
