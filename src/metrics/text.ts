/** Writes the current metrics of the process, in a format of Prometheus. */
export interface MetricsText {
  readonly contentType: string;
  write(): Promise<string>;
}
