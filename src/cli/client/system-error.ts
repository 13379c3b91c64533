/** Describes errors of the network and file system. */

interface SystemError extends Error {
  readonly code?: string;
  readonly syscall?: string;
  readonly path?: string;
  readonly address?: string;
  readonly port?: number;
}

/** By Node's codes; others keep Node's own text. */
const TEXTS: Readonly<Record<string, (error: SystemError) => string | undefined>> = {
  ENOENT: ({ path }) => path && `There is no file ${path}`,
  EACCES: ({ path, syscall }) =>
    path &&
    (syscall === 'access' ? `The rights to read and write ${path} are missing` : `The rights to ${path} are missing`),
  EROFS: ({ path }) => path && `${path} is on a file system that can't be written to`,
  EISDIR: ({ path }) => path && `${path} is a folder`,
  ENOTDIR: ({ path }) => path && `There is no folder on the way to ${path}`,
  EADDRINUSE: ({ address, port }) => `Another program listens at ${address}:${port}`,
  EADDRNOTAVAIL: ({ address }) => `This machine doesn't have the address ${address}`,
};

/** The text for an error of the system; `undefined` for any other, which is a bug of ours. */
export function systemErrorText(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error || 'cause' in error)) return undefined;
  const { code = '', message }: SystemError = error;
  return TEXTS[code]?.(error) ?? message;
}
