/**
 * What the language of the server, which lays out statements here, takes of Node's module of buffers: bytes to and from
 * text. The builds put it in place of `node:buffer`.
 */
export const constants = { MAX_STRING_LENGTH: 2 ** 29 - 24 };

class TextBytes extends Uint8Array {
  override toString(encoding: 'hex' | 'utf16le' = 'hex', from = 0, to = this.length): string {
    const bytes = this.subarray(from, to);
    if (encoding === 'utf16le') return new TextDecoder('utf-16le').decode(bytes);
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
}

function from(digits: string, encoding: 'hex'): TextBytes;
function from(buffer: ArrayBufferLike, offset?: number, length?: number): TextBytes;
function from(source: ArrayBufferLike | string, offset?: number | 'hex', length?: number): TextBytes {
  if (typeof source !== 'string') return new TextBytes(source as ArrayBuffer, offset as number | undefined, length);
  return new TextBytes(Array.from(source.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16)));
}

function compare(one: Uint8Array, other: Uint8Array): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const difference = (one[at] as number) - (other[at] as number);
    if (difference !== 0) return Math.sign(difference);
  }
  return Math.sign(one.length - other.length);
}

export const Buffer = { from, compare };
