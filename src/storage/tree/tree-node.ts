/** Nodes of the B+tree: search by abbreviated keys, copy on write, splits and joins. */
import type { Key } from '../contract.js';

/**
 * Maximum entries of a leaf, and children of a branch. Measured with a million keys of 26 bytes: with half as many an
 * entry takes 42 bytes instead of 24, with twice as many a commit of one key copies a third more; reads hardly differ.
 */
const CAPACITY = 64;
/** A node that shrinks below this is joined with a neighbour. */
const UNDERFULL = CAPACITY / 4;

/** The owner may change nodes in place, as long as they aren't shared. Compared by identity. */
export class Owner {
  /** Number of open snapshots that show the owner's nodes. */
  readers = 0;
}

/**
 * The keys of a node, ascending, and their abbreviated forms.
 *
 * All keys at a node and below it begin with the same `prefix` bytes, and `heads[i]` is the next six of `keys[i]` as a
 * number. So a search compares numbers that lie side by side, and follows the pointer to a key only where heads are
 * equal. In a large tree that is nearly all of its time: each step of a binary search over strings waits for memory.
 * Known as prefix truncation (Bayer and Unterauer, Prefix B-trees, 1977) and poor man's normalized keys (Graefe and
 * Larson, B-tree indexes and CPU caches, 2001).
 */
abstract class KeyedNode {
  constructor(
    readonly owner: Owner,
    readonly keys: Key[],
    readonly heads: number[],
    public prefix: number,
  ) {}
}

export class Leaf<V> extends KeyedNode {
  constructor(
    owner: Owner,
    keys: Key[],
    heads: number[],
    prefix: number,
    readonly values: V[],
  ) {
    super(owner, keys, heads, prefix);
  }

  get size(): number {
    return this.keys.length;
  }
}

/** `keys[i]` is a lower bound of `children[i]` and above all of `children[i - 1]`; `keys[0]` is never compared. */
export class Branch<V> extends KeyedNode {
  constructor(
    owner: Owner,
    keys: Key[],
    heads: number[],
    prefix: number,
    readonly children: Node<V>[],
    /** How many entries lie below. */
    public size: number,
  ) {
    super(owner, keys, heads, prefix);
  }
}

export type Node<V> = Leaf<V> | Branch<V>;

// ─── Searching ───

/** The value of a key. */
export function get<V>(root: Node<V>, key: Key): V | undefined {
  // If the key is there, then it shares the prefixes of all nodes on the way. If it isn't, then it doesn't matter which
  // leaf it is missing in.
  let node = root;
  let { prefix } = node;
  let head = headAt(key, prefix);
  while (node instanceof Branch) {
    node = node.children[childIndex(node, key, head)]!;
    if (node.prefix !== prefix) {
      prefix = node.prefix;
      head = headAt(key, prefix);
    }
  }
  const index = lowerBound(node, key, head);
  return node.keys[index] === key ? node.values[index] : undefined;
}

/** The first index whose key is `key` or above, of a key that shares the prefix and has such a head behind it. */
function lowerBound({ keys, heads }: KeyedNode, key: Key, head: number): number {
  let low = 0;
  let high = heads.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = heads[middle]!;
    if (other < head || (other === head && keys[middle]! < key)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The child below which such a key belongs. */
function childIndex({ keys, heads }: KeyedNode, key: Key, head: number): number {
  let low = 1;
  let high = heads.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = heads[middle]!;
    if (other < head || (other === head && keys[middle]! <= key)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** `lowerBound` for any key: one that lies between two others shares what they share. */
export function seekIndex(leaf: KeyedNode, key: Key): number {
  const { keys } = leaf;
  const last = keys.length - 1;
  if (last < 0 || key <= keys[0]!) return 0;
  return key > keys[last]! ? last + 1 : lowerBound(leaf, key, headAt(key, leaf.prefix));
}

/** `childIndex` for any key. */
export function seekChild(branch: KeyedNode, key: Key): number {
  const { keys } = branch;
  const last = keys.length - 1;
  if (last < 1 || key < keys[1]!) return 0;
  return key >= keys[last]! ? last : childIndex(branch, key, headAt(key, branch.prefix));
}

/** How many keys lie below `key`. */
export function rank<V>(root: Node<V>, key: Key): number {
  let below = 0;
  let node = root;
  while (node instanceof Branch) {
    const index = seekChild(node, key);
    for (let i = 0; i < index; i++) below += node.children[i]!.size;
    node = node.children[index]!;
  }
  return below + seekIndex(node, key);
}

// ─── Prefixes and heads ───

/**
 * Shortens the prefix for a key that is about to be inserted into a node or below it; the first `shared` bytes
 * are known to be.
 */
function admit(node: KeyedNode, key: Key, shared: number): void {
  if (node.prefix <= shared) return;
  const prefix = commonLength(node.keys[0]!, key, shared, node.prefix);
  if (prefix < node.prefix) setPrefix(node, prefix);
}

/** Once keys have gone, the others may have more in common. */
function renewPrefix<V>(node: Node<V>): void {
  const prefix = commonPrefix(node);
  if (prefix !== node.prefix) setPrefix(node, prefix);
}

function setPrefix(node: KeyedNode, prefix: number): void {
  node.prefix = prefix;
  const { keys, heads } = node;
  for (let index = 0; index < keys.length; index++) heads[index] = headAt(keys[index]!, prefix);
}

function commonPrefix<V>(node: Node<V>): number {
  const first = node.keys[0]!;
  let prefix = commonLength(first, node.keys[node.keys.length - 1]!, 0, LONGEST_PREFIX);
  if (node instanceof Branch) {
    for (const child of node.children) prefix = commonLength(first, child.keys[0]!, 0, Math.min(prefix, child.prefix));
  }
  return prefix;
}

// ─── Changing ───

/** A leaf with one entry. Most transactions write one key, and arrays that were pushed to have room for 17. */
export function newRoot<V>(key: Key, value: V, owner: Owner): Leaf<V> {
  return new Leaf(owner, [key], [headAt(key, 0)], 0, [value]);
}

/** The root above two nodes. */
export function above<V>(left: Node<V>, right: Node<V>, owner: Owner): Branch<V> {
  const keys = [left.keys[0]!, right.keys[0]!];
  const heads = [headAt(keys[0]!, 0), headAt(keys[1]!, 0)];
  const root = new Branch(owner, keys, heads, 0, [left, right], left.size + right.size);
  renewPrefix(root);
  return root;
}

/** The node itself if `owner` made it, otherwise a copy that `owner` may change. */
export function own<V>(node: Node<V>, owner: Owner): Node<V> {
  if (node.owner === owner) return node;
  return node instanceof Branch
    ? new Branch(owner, node.keys.slice(), node.heads.slice(), node.prefix, node.children.slice(), node.size)
    : new Leaf(owner, node.keys.slice(), node.heads.slice(), node.prefix, node.values.slice());
}

/** Inserts into an owned node. If it overflows, returns the new right neighbour. */
export function put<V>(node: Node<V>, key: Key, value: V, owner: Owner, shared = 0): Node<V> | undefined {
  admit(node, key, shared);
  const head = headAt(key, node.prefix);
  if (node instanceof Branch) {
    const index = childIndex(node, key, head);
    const child = own(node.children[index]!, owner);
    node.children[index] = child;
    const before = child.size;
    const right = put(child, key, value, owner, node.prefix);
    node.size += child.size - before;
    if (right === undefined) return undefined;
    node.size += right.size;
    insertAt(node, index + 1, right.keys[0]!, headAt(right.keys[0]!, node.prefix), node.children, right);
    return node.children.length > CAPACITY ? splitBranch(node, index + 1, owner) : undefined;
  }
  const index = lowerBound(node, key, head);
  if (node.keys[index] === key) {
    node.values[index] = value;
    return undefined;
  }
  insertAt(node, index, key, head, node.values, value);
  return node.keys.length > CAPACITY ? splitLeaf(node, index, owner) : undefined;
}

/** Inserts a key that shares the prefix, with its value or child. */
function insertAt<T>({ keys, heads }: KeyedNode, index: number, key: Key, head: number, others: T[], other: T): void {
  if (index === keys.length) {
    keys.push(key);
    heads.push(head);
    others.push(other);
  } else {
    keys.splice(index, 0, key);
    heads.splice(index, 0, head);
    others.splice(index, 0, other);
  }
}

function removeAt({ keys, heads }: KeyedNode, index: number, others: unknown[]): void {
  keys.splice(index, 1);
  heads.splice(index, 1);
  others.splice(index, 1);
}

/** Where to split after an insertion at `index`: keys that come in ascending order leave full nodes behind. */
function splitPoint(length: number, index: number): number {
  return index === length - 1 ? index : length >>> 1;
}

function splitLeaf<V>(leaf: Leaf<V>, index: number, owner: Owner): Leaf<V> {
  const { keys, heads, prefix, values } = leaf;
  const at = splitPoint(keys.length, index);
  const right = new Leaf(owner, keys.splice(at), heads.splice(at), prefix, values.splice(at));
  renewPrefix(leaf);
  renewPrefix(right);
  return right;
}

function splitBranch<V>(branch: Branch<V>, index: number, owner: Owner): Branch<V> {
  const { keys, heads, prefix } = branch;
  const at = splitPoint(keys.length, index);
  const children = branch.children.splice(at);
  const size = sizeOf(children);
  branch.size -= size;
  const right = new Branch(owner, keys.splice(at), heads.splice(at), prefix, children, size);
  renewPrefix(branch);
  renewPrefix(right);
  return right;
}

function sizeOf<V>(nodes: readonly Node<V>[]): number {
  let size = 0;
  for (const node of nodes) size += node.size;
  return size;
}

/** Removes a key that is known to be there from an owned node. */
export function remove<V>(node: Node<V>, key: Key, owner: Owner): void {
  if (node instanceof Branch) {
    const index = childIndex(node, key, headAt(key, node.prefix));
    const child = own(node.children[index]!, owner);
    node.children[index] = child;
    node.size--;
    remove(child, key, owner);
    if (child.size === 0) removeAt(node, index, node.children);
    else if (child.keys.length < UNDERFULL && node.children.length > 1)
      join(node, index > 0 ? index - 1 : index, owner);
  } else {
    removeAt(node, lowerBound(node, key, headAt(key, node.prefix)), node.values);
  }
}

/**
 * Joins the children `index` and `index + 1` of an owned branch into one node, or two equal ones if they don't fit into
 * one.
 */
function join<V>(branch: Branch<V>, index: number, owner: Owner): void {
  const left = own(branch.children[index]!, owner);
  const right = branch.children[index + 1]!;
  // A branch never compares its first key, so that it may be stale: the parent's bound is the true one.
  const bound = branch.keys[index + 1]!;
  if (left instanceof Branch && right instanceof Branch) {
    left.keys.push(bound, ...right.keys.slice(1));
    left.children.push(...right.children);
    left.size += right.size;
  } else if (left instanceof Leaf && right instanceof Leaf) {
    left.keys.push(...right.keys);
    left.values.push(...right.values);
  }
  setPrefix(left, commonPrefix(left));
  branch.children[index] = left;
  if (left.keys.length <= CAPACITY) {
    removeAt(branch, index + 1, branch.children);
    return;
  }
  const middle = left.keys.length >>> 1;
  const rest = left instanceof Branch ? splitBranch(left, middle, owner) : splitLeaf(left, middle, owner);
  branch.keys[index + 1] = rest.keys[0]!;
  branch.heads[index + 1] = headAt(rest.keys[0]!, branch.prefix);
  branch.children[index + 1] = rest;
}

/** How many bytes a head has: as many as a double holds exactly. */
const HEAD_LENGTH = 6;
const THREE_BYTES = 1 << 24;
/** The factor of the last byte of a shorter head, by its length. */
const SCALES = Array.from({ length: HEAD_LENGTH }, (_, length) => 256 ** (HEAD_LENGTH - length));

/**
 * The six bytes of a key from `at`, zeros behind its end, as one number. Of keys that are equal up to `at`, the lesser
 * never has the greater head.
 */
function headAt(key: Key, at: number): number {
  const length = key.length - at;
  if (length >= HEAD_LENGTH) {
    const high = (key.charCodeAt(at) << 16) | (key.charCodeAt(at + 1) << 8) | key.charCodeAt(at + 2);
    const low = (key.charCodeAt(at + 3) << 16) | (key.charCodeAt(at + 4) << 8) | key.charCodeAt(at + 5);
    return high * THREE_BYTES + low;
  }
  if (length <= 0) return 0;
  let head = 0;
  for (let index = at; index < key.length; index++) head = head * 256 + key.charCodeAt(index);
  return head * SCALES[length]!;
}

/**
 * Prefixes are multiples of so many bytes, so that mostly all nodes on a way down have the same one, and a head is read
 * once for all of them.
 */
const PREFIX_STEP = 4;
/** Whatever else keys have in common isn't looked at, which bounds the time that a change takes. */
const LONGEST_PREFIX = 64 * PREFIX_STEP;

/**
 * What two keys have in common as a prefix: the first `shared` bytes are known to be equal, and more than `limit`
 * aren't asked for.
 */
function commonLength(a: Key, b: Key, shared: number, limit: number): number {
  const end = Math.min(a.length, b.length, limit);
  let length = shared;
  while (length < end && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length - (length % PREFIX_STEP);
}
