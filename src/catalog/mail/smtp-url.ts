/** Addresses of mail servers: `smtps://shop@mail.example:465` with TLS from the start, `smtp://` with STARTTLS. */

export interface SmtpServer {
  /** A name in lower case, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS. */
  readonly implicitTls: boolean;
  /** Absent: no sign-in. */
  readonly user?: string;
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'smtps:': 465, 'smtp:': 587 };
const CONTROL = /\p{C}/u;

/**
 * Reads one; a text says what is wrong with it. The password stands elsewhere, since the address is shown.
 *
 *     readSmtpUrl('smtp://ann@mail.example')   // { host: 'mail.example', port: 587, implicitTls: false, user: 'ann' }
 */
export function readSmtpUrl(text: string): SmtpServer | string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const port = DEFAULT_PORTS[url?.protocol ?? ''];
  if (url === undefined || port === undefined) return 'it must begin with smtps:// or smtp://';
  if (url.password !== '') return 'the password belongs into PASSWORD (--mail-password-file), as the URL is shown';
  if (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '') return 'nothing may follow the port';
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (!/^[a-z0-9._:-]+$/.test(host)) return 'it must name a host';
  const user = decoded(url.username);
  if (user === undefined || CONTROL.test(user)) return 'its user can’t be read';
  return {
    host,
    port: url.port === '' ? port : Number(url.port),
    implicitTls: url.protocol === 'smtps:',
    ...(user !== '' && { user }),
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
