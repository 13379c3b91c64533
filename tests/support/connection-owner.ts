import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';

/**
 * Which of some processes of this machine has the other end of a connection; by `/proc`, where Linux shows sockets and who has them open.
 * @throws Error if none of them has it
 */
export function ownerOf({ remotePort }: Socket, pids: readonly number[]): number {
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/));
  const port = `:${remotePort?.toString(16).toUpperCase().padStart(4, '0')}`;
  const inode = rows.find(([, local]) => local?.endsWith(port))?.[9];
  const found = pids.find((pid) => {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((file) => linkOf(`${folder}/${file}`) === `socket:[${inode}]`);
  });
  if (found === undefined) throw new Error(`no process has the connection from port ${remotePort}`);
  return found;
}

/** Files may be closed while they are looked at. */
function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
