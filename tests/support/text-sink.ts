import { Writable } from 'node:stream';

/** Keeps what a command writes. */
export class TextSink extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk;
    done();
  }
}
