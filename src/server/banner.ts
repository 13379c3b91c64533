/** The text at startup, by which a first user finds the addresses of the server and makes the first root user. */
import { VERSION } from '../base/package-version.js';
import { PROTOCOL_VERSION } from '../rpc/version.js';
import { withoutPassword } from '../storage/address.js';
import type { Configuration } from './configuration.js';

export interface BannerFacts {
  /** `http://127.0.0.1:8000`. */
  readonly url: string;
  /** The storage path. */
  readonly path: string;
  readonly hasRootUser: boolean;
  /** The code for making the first root user in the Studio. */
  readonly setupCode?: string | undefined;
  readonly graphql: boolean;
}

/** Whether the text is printed. An audit log on standard output must not be mixed with other text. */
export function printsBanner({ noBanner, auditLog }: Pick<Configuration, 'noBanner' | 'auditLog'>): boolean {
  return !noBanner && auditLog !== 'stdout';
}

/** The text printed at startup: the URL and the first steps. */
export function bannerText({ url, path, hasRootUser, setupCode, graphql }: BannerFacts): string {
  const socket = `${url.replace(/^http/, 'ws')}/rpc`;
  const lines = [
    `Tessera ${VERSION} (protocol ${PROTOCOL_VERSION})`,
    '',
    `  WebSocket  ${socket}`,
    `  HTTP       ${url}/sql${graphql ? `   ${url}/graphql` : ''}`,
    `  Browser    ${url}/`,
    `  Data       ${path === 'memory' ? 'in memory: gone when the server stops' : withoutPassword(path)}`,
    '',
    `  Try it:    echo "INFO FOR ROOT" | tessera sql --endpoint ${url} --user NAME --pass PASSWORD --ns test --db test`,
  ];
  if (setupCode !== undefined) {
    lines.push('', `  Make the first root user at ${url}/studio within an hour, with the code ${setupCode}`);
  } else if (!hasRootUser) {
    lines.push(
      '',
      '  There is no root user yet, so no one can administer this server. Stop it and start it again with',
      '      tessera start --user NAME --pass-file FILE',
      '  (or SVC_USER and SVC_PASS in the environment) to make the first one.',
    );
  }
  return `${lines.join('\n')}\n`;
}
