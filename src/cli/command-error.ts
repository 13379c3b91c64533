/** The failure of a command, as one line for its user. */
export class CommandError extends Error {
  constructor(
    message: string,
    /** The exit code of the process. */
    readonly exitCode = 1,
  ) {
    super(message);
  }
}
