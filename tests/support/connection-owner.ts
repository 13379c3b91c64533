import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';

/**
 * Which of some processes of this machine has the other end of a connection; by `/proc`, where Linux shows sockets and who has them open.
 * @throws Error if none of them has it
 */
export function ownerOf({ localPort, remotePort }: Socket, pids: readonly number[]): number {
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/));
  // A port may be that of connections to several others at once, some of them closed.
  const inode = rows.find(([, from, to]) => from?.endsWith(shown(remotePort)) && to?.endsWith(shown(localPort)))?.[9];
  const found = pids.find((pid) => {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((file) => linkOf(`${folder}/${file}`) === `socket:[${inode}]`);
  });
  if (found === undefined) throw new Error(`no process has the connection from port ${remotePort}`);
  return found;
}

/** A port as it ends an address there. */
function shown(port: number | undefined): string {
  return `:${port?.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Files may be closed while they are looked at. */
function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
