/** What keeps a command from doing its work, in one line for its user. */
export class CommandError extends Error {
  constructor(
    message: string,
    /** The exit code of the process. */
    readonly exitCode = 1,
  ) {
    super(message);
  }
}
