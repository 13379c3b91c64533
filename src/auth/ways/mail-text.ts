/** The mails of the ways in: short, in plain words, and with nothing of what a client has sent but its address. */

import { escapeHtml } from '../../base/html.js';
import type { StartPurpose } from '../../catalog/credentials/sign-in-request.js';
import type { App } from '../directory.js';

/** What is written in a mail. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly code?: string | undefined;
  readonly link?: string | undefined;
}

/** What a mail says of each purpose; the name of the app is the only part that comes from elsewhere. */
const PURPOSES: Readonly<Record<StartPurpose, { readonly title: (app: string) => string; readonly why: string }>> = {
  'sign-in': {
    title: (app) => `Sign in to ${app}`,
    why: 'Somebody, probably you, wants to sign in with this address.',
  },
  link: {
    title: (app) => `Confirm your address for ${app}`,
    why: 'Somebody who is signed in, probably you, wants to use this address.',
  },
  step: {
    title: (app) => `Confirm that it is you at ${app}`,
    why: 'Something that you do there needs to know that it is really you.',
  },
};

const IGNORE = 'If it wasn’t you, ignore this mail, and give the code to nobody: without it nothing happens.';

/** A code, a link, or both, valid for ten minutes. */
export function codeMail(
  { name }: App,
  purpose: StartPurpose,
  { code, link }: Pick<MailText, 'code' | 'link'>,
): MailText {
  const { title, why } = PURPOSES[purpose];
  const subject = title(name);
  return {
    ...mailOf(subject, [
      why,
      ...(code === undefined ? [] : ['Your code, valid for ten minutes:', { code }]),
      ...(link === undefined
        ? []
        : [code === undefined ? 'Open this link, valid for ten minutes:' : 'Or open this link:', { link }]),
      IGNORE,
    ]),
    code,
    link,
  };
}

/** Told to an address that no longer counts. */
export function changedMail({ name }: App): MailText {
  return mailOf(`Your address at ${name} was changed`, [
    'From now on another address than this one is used to sign in.',
    'If it wasn’t you, sign in, end all other sessions, and tell those who run it.',
  ]);
}

/** Told to the addresses of an account that got another way in. */
export function addedMail({ name }: App): MailText {
  return mailOf(`There is another way to sign in to ${name}`, [
    'A way to sign in was added to your account there.',
    'If it wasn’t you, sign in, remove it, end all other sessions, and tell those who run it.',
  ]);
}

/** Told to the addresses of an account that lost a way in. */
export function endedMail({ name }: App): MailText {
  return mailOf(`A way to sign in to ${name} was removed`, [
    'A way to sign in was removed from your account there.',
    'If it wasn’t you, sign in, end all other sessions, and tell those who run it.',
  ]);
}

/** Told to an address that was taken away from an account. */
export function removedMail({ name }: App): MailText {
  return mailOf(`Your address at ${name} was removed`, [
    'This address can no longer be used to sign in there.',
    'If it wasn’t you, tell those who run it.',
  ]);
}

/** Told when a second factor was added, or has taken the place of another. */
export function factorAddedMail({ name }: App): MailText {
  return mailOf(`A second factor was added at ${name}`, [
    'From now on signing in there asks for it as well: an authenticator app, or recovery codes.',
    'If it wasn’t you, sign in, end all other sessions, and tell those who run it.',
  ]);
}

/** Told when a second factor was taken away from an account. */
export function factorRemovedMail({ name }: App): MailText {
  return mailOf(`A second factor was removed at ${name}`, [
    'An authenticator app or recovery codes can no longer be used there.',
    'If it wasn’t you, sign in, end all other sessions, and tell those who run it.',
  ]);
}

/** An invitation, valid for seven days. */
export function invitationMail({ name }: App, link: string): MailText {
  return {
    ...mailOf(`You are invited to ${name}`, [
      'There is an account for you. Open this link, valid for seven days:',
      { link },
      'If you don’t know what this is about, ignore this mail.',
    ]),
    link,
  };
}

type Part = string | { readonly code: string } | { readonly link: string };

function mailOf(subject: string, parts: readonly Part[]): MailText {
  const plain = (part: Part) => (typeof part === 'string' ? part : 'code' in part ? part.code : part.link);
  return {
    subject,
    text: `${parts.map(plain).join('\n\n')}\n`,
    html: `<!doctype html><meta charset="utf-8"><title>${escapeHtml(subject)}</title>${parts.map(htmlOf).join('')}`,
  };
}

function htmlOf(part: Part): string {
  if (typeof part === 'string') return `<p>${escapeHtml(part)}</p>`;
  if ('code' in part) return `<p style="font-size:1.6em;letter-spacing:.1em"><b>${escapeHtml(part.code)}</b></p>`;
  return `<p><a href="${escapeHtml(part.link)}">${escapeHtml(part.link)}</a></p>`;
}
