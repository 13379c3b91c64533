/** The part of a logger that this room needs; pino is one. */
export interface Log {
  debug(details: object, text: string): void;
  info(details: object, text: string): void;
  warn(details: object, text: string): void;
  error(details: object, text: string): void;
}

const ignore = (): void => {};
export const SILENT: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
