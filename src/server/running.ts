/** A server that accepts connections. */
export interface Running {
  readonly url: string;
  readonly hasRootUser: boolean;
  /** The code for making the first root user in the Studio, where that is offered. To be shown once, never stored. */
  readonly setupCode?: string | undefined;
  /** The processes that serve, if there are several. */
  readonly pids?: readonly (number | undefined)[];
  /** Completes the requests in progress and closes the database, as a signal does. */
  close(): Promise<void>;
}
