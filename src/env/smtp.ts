/** Mail by SMTP. The library is loaded with the first mail. */
import { Readable } from 'node:stream';
import type { MailComposerOptions } from 'nodemailer/lib/mail-composer';
import type { SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';
import {
  MailError,
  type MailFailure,
  type MailHandover,
  type MailMessage,
  type MailServer,
  type MailTransport,
} from './mail.js';

/** Milliseconds until a connection stands, the server has greeted, and for which it may be silent later. */
const CONNECTING = 10_000;
const GREETING = 10_000;
const SILENCE = 15_000;
/** Bytes of one reply. */
const LARGEST_REPLY = 64 * 1024;

/**
 * The parts of the library, one after the other: loaded at once they would hold the event loop for more than 10 ms, and
 * its entry point loads five times as much.
 */
async function loadLibrary() {
  await import('nodemailer/lib/shared');
  const { default: SmtpConnection } = await import('nodemailer/lib/smtp-connection');
  await import('nodemailer/lib/mime-funcs');
  await import('nodemailer/lib/mime-node');
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  return { SmtpConnection, MailComposer };
}

let library: ReturnType<typeof loadLibrary> | undefined;

/** @param authorities certificates that are trusted, in PEM. Default: those of Node, and `NODE_EXTRA_CA_CERTS`. */
export function smtpTransport(authorities?: readonly string[]): MailTransport {
  return { send: (server, mail, delivery) => send(connectionTo(server, authorities), { server, mail, delivery }) };
}

interface Sending {
  readonly server: MailServer;
  readonly mail: MailMessage;
  readonly delivery: MailHandover;
}

async function send(options: SMTPConnectionOptions, { server, mail, delivery }: Sending): Promise<void> {
  library ??= loadLibrary();
  const { SmtpConnection, MailComposer } = await library;
  const { signal, beforeText } = delivery;
  const content = await new MailComposer(compositionOf(mail)).compile().build();
  signal.throwIfAborted();
  const connection = new SmtpConnection(options);
  let began: unknown;
  const text = textAfter(async () => {
    try {
      await beforeText();
      signal.throwIfAborted();
    } catch (error) {
      began = error;
      throw error;
    }
  }, content);
  try {
    await new Promise<void>((resolve, reject) => {
      const stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      connection.once('error', reject);
      connection.once('end', () => reject(new MailError('unreachable')));
      connection.connect((failed) => {
        if (failed) return reject(failed);
        const send = () => {
          const envelope = { from: mail.from.address, to: [mail.to], size: content.length };
          connection.send(envelope, text, (error) => (error ? reject(error) : resolve()));
        };
        if (server.credentials === undefined) return send();
        const { user, password: pass } = server.credentials;
        connection.login({ user, pass }, (error) => (error ? reject(error) : send()));
      });
    });
    connection.quit();
  } catch (error) {
    connection.close();
    signal.throwIfAborted();
    throw began ?? mailErrorOf(error);
  } finally {
    // Whatever comes from a connection that is given up.
    connection.on('error', () => undefined);
    text.destroy();
  }
}

function connectionTo(
  { host, address, port, tls }: MailServer,
  authorities: readonly string[] | undefined,
): SMTPConnectionOptions {
  return {
    host: address,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    // The certificate is that of the name, though the address was resolved before.
    servername: host === address ? undefined : host,
    tls: authorities === undefined ? {} : { ca: [...authorities] },
    connectionTimeout: CONNECTING,
    greetingTimeout: GREETING,
    socketTimeout: SILENCE,
    socketCloseTimeout: 1_000,
    maxResponseSize: LARGEST_REPLY,
    allowInternalNetworkInterfaces: true,
  };
}

function compositionOf({ id, from, to, subject, text, html, created }: MailMessage): MailComposerOptions {
  return {
    from,
    to: { name: '', address: to },
    subject,
    text,
    html,
    messageId: `<${id}@${from.address.slice(from.address.indexOf('@') + 1)}>`,
    date: new Date(Number(created / 1_000_000n)),
    headers: { 'Auto-Submitted': 'auto-generated' },
    // The texts are all there is: nothing that they name is read.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** A stream that begins once `before` has resolved: the library reads it when the server waits for the text. */
function textAfter(before: () => Promise<void>, content: Buffer): Readable {
  return new Readable({
    read() {
      before().then(
        () => {
          this.push(content);
          this.push(null);
        },
        (error: Error) => this.destroy(error),
      );
    },
  });
}

/** What the library's codes mean. */
const FAILURES: Readonly<Record<string, MailFailure>> = { ETLS: 'tls', EAUTH: 'credentials' };
/** Commands that concern the mail itself; what else is refused may be granted later. */
const OF_THE_MAIL: ReadonlySet<string> = new Set(['EENVELOPE', 'EMESSAGE']);
/** Replies of a server that wants a sign-in, or another one, before it takes mails (RFC 4954 §6). */
const WITHOUT_SIGN_IN: ReadonlySet<number> = new Set([530, 534, 535, 538]);
/** What OpenSSL and Node say of certificates. */
const CERTIFICATE = /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH)/;

interface LibraryError extends Error {
  readonly code?: string;
  /** That of Node, in place of which the library has put its own. */
  readonly originalCode?: string;
  readonly responseCode?: number;
}

function mailErrorOf(thrown: unknown): MailError {
  if (thrown instanceof MailError) return thrown;
  const error = thrown as LibraryError;
  const { code = '', originalCode = '', responseCode: reply } = error;
  const known = CERTIFICATE.test(originalCode) ? 'tls' : FAILURES[code];
  if (known !== undefined) return new MailError(known, reply, error);
  if (reply !== undefined && WITHOUT_SIGN_IN.has(reply)) return new MailError('credentials', reply, error);
  if (reply === undefined || reply < 400) return new MailError('unreachable', undefined, error);
  return new MailError(reply >= 500 && OF_THE_MAIL.has(code) ? 'refused' : 'deferred', reply, error);
}
