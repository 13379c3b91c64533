/**
 * The connection of node-postgres with fields read as byte strings, one character a byte.
 *
 * The library decodes every field of a result as UTF-8, which destroys `bytea` in PostgreSQL's binary format. Decoded
 * as latin1 it is what keys and encoded records are in Tessera. Everything else (TLS, SCRAM, the protocol's states)
 * stays the library's. `postgres-connection.test.ts` sends all bytes to and fro, so that a release of the library in
 * which this no longer holds is noticed.
 */
import pg from 'pg';
import { Parser } from 'pg-protocol/dist/parser.js';

/** The parts of the library's classes that its type declarations leave out. */
interface ReaderWithEncoding {
  encoding: BufferEncoding;
}
interface Message {
  readonly name: string;
}

export class ByteStringConnection extends pg.Connection {
  /** Called by `connect`, and again once TLS is in place. */
  attachListeners(stream: NodeJS.ReadableStream): void {
    const parser = new Parser();
    (parser as unknown as { readonly reader: ReaderWithEncoding }).reader.encoding = 'latin1';
    stream.on('data', (chunk: Buffer) => {
      parser.parse(chunk, (message: Message) => this.emit(eventOf(message), message));
    });
  }
}

function eventOf({ name }: Message): string {
  return name === 'error' ? 'errorMessage' : name;
}
