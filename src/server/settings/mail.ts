/** Settings of mail, and of the addresses that links in mails have. */
import { canonicalPublicUrl, publicUrlFault } from '../../catalog/definitions/web-addresses.js';
import { readMailSender, type SenderAddress } from '../../catalog/mail/address.js';
import { readSmtpUrl, type SmtpServer } from '../../catalog/mail/smtp-url.js';
import { optionalSetting, readList, readText, settingWithDefault } from '../setting.js';

export const MAIL_SETTINGS = {
  publicUrl: settingWithDefault(
    {
      flag: '--public-url <urls>',
      description:
        'The addresses at which people reach this server, such as https://db.example.com, for links in mails and redirects; the first is the default',
    },
    '',
    readPublicUrls,
  ),
  mailUrl: optionalSetting(
    {
      flag: '--mail-url <url>',
      description:
        'The mail server of databases without DEFINE CONFIG MAIL, such as smtps://user@mail.example.com:465, or smtp:// with STARTTLS',
    },
    readServer,
  ),
  mailFrom: optionalSetting(
    {
      flag: '--mail-from <sender>',
      description: 'The sender of these mails, such as "The Shop <no-reply@shop.example>"',
    },
    readSender,
  ),
  mailPasswordFile: optionalSetting(
    { flag: '--mail-password-file <file>', description: 'A file with the password of the user in --mail-url' },
    readText,
  ),
} as const;

/** In canonical form. @throws Error */
function readPublicUrls(text: string): readonly string[] {
  return readList(text).map((url) => {
    const fault = publicUrlFault(url);
    if (fault !== undefined) throw new Error(`"${url}" can't be used: ${fault}`);
    return canonicalPublicUrl(url);
  });
}

/** The text may hold a password, and so isn't repeated. @throws Error */
function readServer(text: string): SmtpServer {
  const server = readSmtpUrl(text);
  if (typeof server === 'string') throw new Error(`it can't be used: ${server}`);
  return server;
}

/** @throws Error */
function readSender(text: string): SenderAddress {
  const sender = readMailSender(text);
  if (sender === undefined)
    throw new Error(`"${text}" is neither an address nor a name with one, such as "The Shop <no-reply@shop.example>"`);
  return sender;
}
