/** An audit log on standard output, for platforms that collect it; it can't be read back. */
import type { AuditSink } from './sink.js';

/** An audit log on a stream such as standard output; each start begins a new chain. */
export function streamSink(stream: NodeJS.WritableStream): AuditSink {
  return {
    write: (lines) =>
      new Promise((resolve, reject) => {
        stream.write(`${lines.join('\n')}\n`, (error) => (error ? reject(error) : resolve()));
      }),
  };
}
