/** `tessera types`. */
import { writeFile } from 'node:fs/promises';
import { type ConnectionOptions, connectAs } from './connection.js';
import { readSchema } from './types/schema.js';
import { writeTypes } from './types/write-types.js';

export interface TypesOptions extends ConnectionOptions {
  readonly out?: string;
}

/** Writes the types of a database to a file, or to `output`. @throws ServerError, and what the file system throws */
export async function runTypes(options: TypesOptions, output: NodeJS.WritableStream): Promise<void> {
  const client = await connectAs(options);
  try {
    const text = writeTypes(await readSchema(client));
    if (options.out === undefined) output.write(text);
    else await writeFile(options.out, text);
  } finally {
    client.close();
  }
}
