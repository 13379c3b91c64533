/** `tessera nodes`. */
import { printStatement } from '../language/print.js';
import { isArray, isObject } from '../value/value.js';
import { type ConnectionOptions, connectAs } from './client/connection.js';
import { ServerError } from './client/server-error.js';
import { formatValue } from './shell/print.js';
import { styleOf } from './shell/style.js';

export interface NodesOptions extends ConnectionOptions {
  readonly json?: boolean;
}

/**
 * Prints the nodes that use a server's store, as a table or as JSON.
 * @throws ServerError where the user may not see them
 */
export async function runNodes(
  options: NodesOptions,
  output: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number },
): Promise<void> {
  const client = await connectAs(options);
  try {
    const results = await client.query(printStatement({ kind: 'info', of: { kind: 'nodes' }, structure: false }));
    const [answer] = isArray(results) ? results : [];
    if (!isObject(answer) || answer['status'] !== 'OK')
      throw new ServerError(String(isObject(answer) && answer['result']));
    const style = styleOf({ json: options.json ?? false, table: true }, output, process.env);
    output.write(`${formatValue(answer['result'], style)}\n`);
  } finally {
    client.close();
  }
}
