import { VERSION } from '../base/package-version.js';
import { PROTOCOL_VERSION } from '../rpc/version.js';
import { withoutPassword } from '../storage/engines/address.js';

export interface BannerFacts {
  /** `http://127.0.0.1:8000`. */
  readonly url: string;
  /** The storage path. */
  readonly path: string;
  readonly hasRootUser: boolean;
  readonly graphql: boolean;
}

/** The text printed at startup: the URL and the first steps. */
export function bannerText({ url, path, hasRootUser, graphql }: BannerFacts): string {
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
  if (!hasRootUser) {
    lines.push(
      '',
      '  There is no root user yet, so no one can administer this server. Stop it and start it again with',
      '      tessera start --user NAME --pass PASSWORD',
      '  (or SVC_USER and SVC_PASS in the environment) to make the first one.',
    );
  }
  return `${lines.join('\n')}\n`;
}
