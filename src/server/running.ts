/** A server that accepts connections. */
export interface Running {
  readonly url: string;
  readonly hasRootUser: boolean;
  /** The processes that serve, if there are several. */
  readonly pids?: readonly (number | undefined)[];
}
