/** Encodes large values as FlatBuffers in chunks, from the end of the message to its front. */
import { nextDepth } from '../nesting.js';
import { sortedKeys } from '../strings.js';
import { isArray, isObject, type Value } from '../value.js';
import { writeFlatBuffers, writeMember, writeVectorValue } from './flatbuffers-encode.js';
import { FlatBuffersWriter, type Written } from './flatbuffers-writer.js';
import { countNodes, isList, itemsIn, SMALL, type Tally, withinLimits } from './pieces.js';

/** References that are written to a vector at once: even, so that the pieces of a vector have no gaps between them. */
const ITEMS = 4096;

/**
 * A value in pieces, each of which stands before the one that was made before it. Put together they are a message of
 * the same value as the codec's, in other bytes.
 * @throws TesseraError as the codec does; what `exceeded` makes when they have more than `limit` bytes
 */
export function* flatBuffersPieces(
  value: Value,
  limit: number,
  exceeded: (limit: number) => Error,
): Generator<Uint8Array> {
  const tally = { bytes: 0, nodes: 0 };
  yield* withinLimits(message(value, tally), tally, limit, exceeded);
}

function* message(value: Value, tally: Tally): Generator<Uint8Array> {
  const writer = new FlatBuffersWriter();
  yield writer.finish(yield* follow(writer, value, 0, tally));
}

/** Yields pieces, and returns what leads to the value. */
function* follow(writer: FlatBuffersWriter, value: Value, depth: number, tally: Tally): Generator<Uint8Array, Written> {
  const nodes = countNodes(value, 0);
  if (nodes <= SMALL || !(isList(value) || isObject(value))) {
    tally.nodes += Math.min(nodes, SMALL);
    const written = writeFlatBuffers(writer, value, depth);
    if (writer.hasPiece) yield writer.takePiece();
    return written;
  }
  tally.nodes++;
  const below = nextDepth(depth);
  const members: Written[] = [];
  if (isObject(value)) {
    for (const key of sortedKeys(value)) {
      const member = yield* follow(writer, value[key], below, tally);
      members.push(writeMember(writer, key, member));
    }
  } else {
    for (const item of itemsIn(value)) members.push(yield* follow(writer, item, below, tally));
  }
  const vector = yield* vectorOf(writer, members);
  return writeVectorValue(writer, isObject(value) ? 'object' : isArray(value) ? 'array' : 'set', vector);
}

function* vectorOf(writer: FlatBuffersWriter, members: readonly Written[]): Generator<Uint8Array, Written> {
  writer.beginVector();
  for (let to = members.length; to > 0; to -= ITEMS) {
    writer.addItems(members, Math.max(0, to - ITEMS), to);
    if (to > ITEMS && writer.hasPiece) yield writer.takePiece();
  }
  return writer.endVector(members.length);
}
