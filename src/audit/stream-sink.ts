import type { AuditSink } from './sink.js';

/** An audit log that goes to a stream, such as standard output. Whoever reads it keeps it; each start begins a chain. */
export function streamSink(stream: NodeJS.WritableStream): AuditSink {
  return {
    write: (lines) =>
      new Promise((resolve, reject) => {
        stream.write(`${lines.join('\n')}\n`, (error) => (error ? reject(error) : resolve()));
      }),
  };
}
