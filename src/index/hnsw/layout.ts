/**
 * The entries of HNSW indexes. Keys begin with the prefix of the index; ids and sequence numbers have four bytes.
 *
 *     vector:     01 · key(record)  →  bytes: the components in the type of the index (`vectors/vector-type.ts`)
 *     changed:    02 · key(record)  →  true: the vector has no node as it is now (`place.ts`)
 *     state:      03                →  the state of the graph (`graph-state.ts`)
 *     links:      04 · id           →  bytes: the links of a node (`stored-graph.ts`)
 *     node:       05 · id           →  [key(record), bytes: the components in 32-bit floats]
 *     id:         06 · key(record)  →  the id of the node of a record, or -1 where it has a vector and can't have a node
 *     log:        07 · sequence     →  bytes: the ids of nodes that a change of the graph concerned
 *     free:       08 · id           →  true: an id that was given up
 *     apart:      09 · key(record)  →  true: the vector can't have a node, and can be measured in 64 bits
 *     waiting:    0A · id           →  true: the node has no links yet
 *
 * A record without a vector has none of them. Writers of records put vectors and changes, all else is written in the
 * background.
 */
import { idAt, idBytes, prefixRange } from '../../catalog/keys/key-bytes.js';
import type { Key, KeyRange } from '../../storage/contract.js';

const TAGS = {
  changed: '\x02',
  state: '\x03',
  links: '\x04',
  node: '\x05',
  id: '\x06',
  log: '\x07',
  free: '\x08',
  apart: '\x09',
  waiting: '\x0a',
};

/** `key` is that of the record, encoded. */
export const changedKey = (index: string, key: string): Key => index + TAGS.changed + key;
export const stateKey = (index: string): Key => index + TAGS.state;
export const linksKey = (index: string, id: number): Key => index + TAGS.links + idBytes(id);
export const nodeKey = (index: string, id: number): Key => index + TAGS.node + idBytes(id);
export const idKey = (index: string, key: string): Key => index + TAGS.id + key;
export const logKey = (index: string, sequence: number): Key => index + TAGS.log + idBytes(sequence);
export const apartKey = (index: string, key: string): Key => index + TAGS.apart + key;
export const waitingKey = (index: string, id: number): Key => index + TAGS.waiting + idBytes(id);
export const freeKey = (index: string, id: number): Key => index + TAGS.free + idBytes(id);

/** All keys of one kind of an index. */
export function rangeOf(index: string, tag: keyof typeof TAGS): KeyRange {
  return prefixRange(index + TAGS[tag]);
}

/** The encoded key of the record in a key of a change, or of a vector apart from the graph. */
export function recordIn(index: string, key: Key): string {
  return key.slice(index.length + 1);
}

/** The id in a key of links, a node, a free id or a waiting one. */
export function idOf(index: string, key: Key): number {
  return idAt(key, index.length + 1);
}
