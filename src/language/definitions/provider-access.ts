/**
 * What TYPE JWT has behind its keys, if system users sign in at an identity provider.
 *
 *     WITH OIDC GOOGLE CLIENT '…' SECRET '…' ROLES (IF $identity.claims.hd = 'corp.example' { ['Viewer'] })
 */
import { quoteString } from '../../value/text/quote.js';
import type { Expression, ProviderAccess } from '../ast.js';
import type { Parser } from '../parser/parser.js';
import { codeText } from '../printer/clauses.js';
import { clause, clauses, list, type Printer } from '../printer/printer.js';
import { shownWay, wayText } from './access-ways.js';
import { type ShownMembers, shownCode } from './clause.js';
import { oidc } from './provider-ways.js';

/** What follows WITH. */
export function providerAccess(parser: Parser): ProviderAccess {
  parser.expectWord('OIDC');
  const way = oidc(parser, false);
  if (parser.isWord('LINK'))
    parser.failToken('LINK VERIFIED EMAIL means nothing for TYPE JWT, whose users are no records');
  let roles: Expression | undefined;
  let redirects: readonly string[] | undefined;
  for (;;) {
    if (parser.acceptWord('ROLES')) roles = parser.expression();
    else if (parser.acceptWord('REDIRECT')) redirects = parser.commaList(() => parser.string());
    else break;
  }
  if (roles === undefined) parser.unexpected('ROLES, which says what its users may do');
  return { kind: 'provider', way, roles, ...(redirects !== undefined && { redirects }) };
}

export function providerText({ way, roles, redirects }: ProviderAccess, printer: Printer): string {
  return clauses(
    wayText(way, printer),
    `ROLES ${codeText(roles, printer)}`,
    clause('REDIRECT', redirects, (each) => list(each, quoteString)),
  );
}

export function shownProvider({ way, roles, redirects }: ProviderAccess, printer: Printer): ShownMembers {
  return { redirect: redirects && [...redirects], roles: shownCode(roles, printer), way: shownWay(way) };
}
