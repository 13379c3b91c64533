/** How a database sends mail: as its CONFIG MAIL says, else as the server does. */
import type { Expression, MailConfig } from '../../language/ast.js';
import { readMailSender, type SenderAddress } from './address.js';
import { readSmtpUrl, type SmtpServer } from './smtp-url.js';

/** A mail server, and the password of the user that it is used as. */
export interface SmtpRoute {
  readonly kind: 'smtp';
  readonly from: SenderAddress;
  readonly server: SmtpServer;
  readonly password?: string | undefined;
}

export type MailRoute =
  | SmtpRoute
  /** Code of the database, which gets the sender as it is written. */
  | { readonly kind: 'then'; readonly from: string; readonly action: Expression };

/** `undefined` where nothing says how mail is sent. */
export function mailRouteOf(config: MailConfig | undefined, ofServer: SmtpRoute | undefined): MailRoute | undefined {
  if (config === undefined) return ofServer;
  const { delivery } = config;
  if (config.from === undefined || delivery === undefined) return undefined;
  if (delivery.kind === 'then') return { kind: 'then', from: config.from, action: delivery.action };
  const from = readMailSender(config.from);
  const server = readSmtpUrl(delivery.url);
  return typeof server === 'string' || from === undefined
    ? undefined
    : { kind: 'smtp', from, server, password: delivery.password };
}
