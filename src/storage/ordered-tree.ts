import type { Key, KeyRange } from './contract.js';

/**
 * Entries a leaf, and children a branch, hold at most. Measured with a million keys of 26 bytes: with half as many an entry takes 42 bytes
 * instead of 24, with twice as many a commit of one key copies a third more; reads hardly differ.
 */
const CAPACITY = 64;
/** A node that shrinks below this is joined with a neighbour. */
const UNDERFULL = CAPACITY / 4;

/** Who may change nodes in place, as long as nobody else reads them. Compared by identity. */
class Owner {
  /** How many snapshots that show the owner's nodes are still read. */
  readers = 0;
}

class Leaf<V> {
  constructor(
    readonly owner: Owner,
    readonly keys: Key[],
    readonly values: V[],
  ) {}

  get size(): number {
    return this.keys.length;
  }
}

/** `keys[i]` is a lower bound of `children[i]` and above all of `children[i - 1]`; `keys[0]` is never compared. */
class Branch<V> {
  constructor(
    readonly owner: Owner,
    readonly keys: Key[],
    readonly children: Node<V>[],
    /** How many entries lie below. */
    public size: number,
  ) {}
}

type Node<V> = Leaf<V> | Branch<V>;

/** Nobody's, so that whoever puts something into it makes a copy. */
const EMPTY = new Leaf<never>(new Owner(), [], []);

/**
 * A persistent B+tree from byte strings to values.
 *
 * `snapshot` takes constant time: both trees share all nodes from then on, and whichever is changed copies the few nodes on the way.
 * A node remembers the tree that made it (its owner), so that a tree changes its own nodes in place and a bulk load copies nothing. Once
 * all snapshots are released it may do so again: most transactions of a store are alone, and copies of nodes for each were most of what
 * the garbage collector had to move.
 *
 *     const tree = new OrderedTree<number>();
 *     tree.put('a', 1);
 *     const before = tree.snapshot();
 *     tree.put('a', 2);
 *     before.get('a'); // 1
 */
export class OrderedTree<V> {
  #owner = new Owner();
  #root: Node<V> = EMPTY;
  /** Of a snapshot: whose nodes it shows, until it is released. */
  #shown: Owner | undefined;

  get size(): number {
    return this.#root.size;
  }

  get(key: Key): V | undefined {
    let node = this.#root;
    while (node instanceof Branch) node = node.children[childIndex(node.keys, key)]!;
    const index = lowerBound(node.keys, key);
    return node.keys[index] === key ? node.values[index] : undefined;
  }

  /** The value of the greatest key that is `key` or below it. */
  floor(key: Key): V | undefined {
    let node = this.#root;
    let before: Node<V> | undefined;
    while (node instanceof Branch) {
      const index = childIndex(node.keys, key);
      if (index > 0) before = node.children[index - 1];
      node = node.children[index]!;
    }
    const index = lowerBound(node.keys, key);
    if (node.keys[index] === key) return node.values[index];
    if (index > 0) return node.values[index - 1];
    while (before instanceof Branch) before = before.children[before.children.length - 1];
    return before?.values[before.values.length - 1];
  }

  put(key: Key, value: V): void {
    const owner = this.#soleOwner();
    if (this.#root === EMPTY) {
      // Most transactions write one key, and arrays that were pushed to have room for 17.
      this.#root = new Leaf(owner, [key], [value]);
      return;
    }
    const left = own(this.#root, owner);
    const right = put(left, key, value, owner);
    this.#root =
      right === undefined
        ? left
        : new Branch(owner, [left.keys[0]!, right.keys[0]!], [left, right], left.size + right.size);
  }

  /** Whether there was such a key. */
  delete(key: Key): boolean {
    // Looking first keeps a deletion of nothing from copying anything.
    if (this.get(key) === undefined) return false;
    const owner = this.#soleOwner();
    let root = own(this.#root, owner);
    remove(root, key, owner);
    while (root instanceof Branch && root.children.length === 1) root = root.children[0]!;
    this.#root = root.size === 0 ? EMPTY : root;
    return true;
  }

  /** A tree with the same entries that goes its own way from here. Takes constant time. */
  snapshot(): OrderedTree<V> {
    const copy = new OrderedTree<V>();
    copy.#root = this.#root;
    copy.#shown = this.#owner;
    this.#owner.readers++;
    // What shows the same nodes won't be released, and so neither is this.
    this.#shown = undefined;
    return copy;
  }

  /** A snapshot is read no more, so that the tree that it is of needn't spare its nodes for it. Nothing depends on its being called. */
  release(): void {
    if (this.#shown !== undefined) this.#shown.readers--;
    this.#shown = undefined;
  }

  /** The owner for a change: another one where snapshots show what the present one made. */
  #soleOwner(): Owner {
    if (this.#owner.readers > 0) this.#owner = new Owner();
    return this.#owner;
  }

  /** How many keys lie in a range, in logarithmic time. */
  count(range: KeyRange): number {
    return range.from < range.to ? rank(this.#root, range.to) - rank(this.#root, range.from) : 0;
  }

  /** The keys of a range in order. The tree must not change while it is read; take a snapshot if it might. */
  cursor(range: KeyRange, reverse = false): TreeCursor<V> {
    return new TreeCursor(this.#root, range, reverse);
  }

  /** Visits all entries in order. */
  forEach(visit: (key: Key, value: V) => void): void {
    forEach(this.#root, visit);
  }

  /** All keys in order. */
  keys(): Key[] {
    const keys = new Array<Key>(this.size);
    let at = 0;
    forEach(this.#root, (key) => {
      keys[at++] = key;
    });
    return keys;
  }
}

/** Walks the leaves of a range, so that bounds are compared once a leaf and not once an entry. */
export class TreeCursor<V> {
  readonly #reverse: boolean;
  /** The bound that is reached last. */
  readonly #last: Key;
  readonly #path: Branch<V>[] = [];
  readonly #indexes: number[] = [];
  #leaf: Leaf<V>;
  /** The current entry of the leaf, and the first one past those to be read (in the direction of the walk). */
  #index = 0;
  #end = 0;

  constructor(root: Node<V>, range: KeyRange, reverse: boolean) {
    this.#reverse = reverse;
    this.#last = reverse ? range.from : range.to;
    const first = reverse ? range.to : range.from;
    let node = root;
    while (node instanceof Branch) {
      const index = childIndex(node.keys, first);
      this.#path.push(node);
      this.#indexes.push(index);
      node = node.children[index]!;
    }
    this.#leaf = node;
    if (range.from >= range.to) return;
    const index = lowerBound(node.keys, first);
    this.#index = reverse ? index - 1 : index;
    this.#setEnd();
    if (this.#index === this.#end) this.#nextLeaf();
  }

  /** The current key; `undefined` is the end. */
  get key(): Key | undefined {
    return this.#index === this.#end ? undefined : this.#leaf.keys[this.#index];
  }

  /** The value of the current key. */
  get value(): V {
    return this.#leaf.values[this.#index]!;
  }

  advance(): void {
    this.#index += this.#reverse ? -1 : 1;
    if (this.#index === this.#end) this.#nextLeaf();
  }

  /** Appends up to `limit` entries to `entries`; fewer only at the end. */
  read(entries: (readonly [Key, V])[], limit: number): void {
    const step = this.#reverse ? -1 : 1;
    while (limit > 0 && this.#index !== this.#end) {
      const { keys, values } = this.#leaf;
      const available = (this.#end - this.#index) * step;
      const count = Math.min(available, limit);
      let index = this.#index;
      for (let n = 0; n < count; n++, index += step) entries.push([keys[index]!, values[index]!]);
      limit -= count;
      this.#index = index;
      if (index === this.#end) this.#nextLeaf();
    }
  }

  /** The same for values alone, with the key of the last one. They are copied a leaf at a time: one by one takes six times as long. */
  readValues(limit: number): { readonly values: V[]; readonly last: Key | undefined } {
    const pieces: V[][] = [];
    let last: Key | undefined;
    while (limit > 0 && this.#index !== this.#end) {
      const { keys, values } = this.#leaf;
      const from = this.#index;
      if (this.#reverse) {
        this.#index = Math.max(this.#end, from - limit);
        pieces.push(values.slice(this.#index + 1, from + 1).reverse());
        last = keys[this.#index + 1];
      } else {
        this.#index = Math.min(this.#end, from + limit);
        pieces.push(from === 0 && this.#index === values.length ? values : values.slice(from, this.#index));
        last = keys[this.#index - 1];
      }
      limit -= Math.abs(this.#index - from);
      if (this.#index === this.#end) this.#nextLeaf();
    }
    return { values: ([] as V[]).concat(...pieces), last };
  }

  /** Finds where in this leaf the range ends. */
  #setEnd(): void {
    const { keys } = this.#leaf;
    if (this.#reverse) {
      this.#end = keys.length > 0 && keys[0]! >= this.#last ? -1 : lowerBound(keys, this.#last) - 1;
      if (this.#end > this.#index) this.#end = this.#index;
    } else {
      this.#end = keys.length > 0 && keys[keys.length - 1]! < this.#last ? keys.length : lowerBound(keys, this.#last);
      if (this.#end < this.#index) this.#end = this.#index;
    }
  }

  /** Steps to the next leaf that has entries, unless the range ended in this one. */
  #nextLeaf(): void {
    if (this.#end !== (this.#reverse ? -1 : this.#leaf.keys.length)) return;
    const step = this.#reverse ? -1 : 1;
    let depth = this.#path.length - 1;
    while (depth >= 0) {
      const index = this.#indexes[depth]! + step;
      if (index >= 0 && index < this.#path[depth]!.children.length) {
        this.#indexes[depth] = index;
        break;
      }
      depth--;
    }
    if (depth < 0) return;
    let node = this.#path[depth]!.children[this.#indexes[depth]!]!;
    for (depth++; node instanceof Branch; depth++) {
      const index = this.#reverse ? node.children.length - 1 : 0;
      this.#path[depth] = node;
      this.#indexes[depth] = index;
      node = node.children[index]!;
    }
    this.#leaf = node;
    this.#index = this.#reverse ? node.keys.length - 1 : 0;
    this.#setEnd();
  }
}

/** The first index whose key is `key` or above. */
export function lowerBound(keys: readonly Key[], key: Key): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The child below which `key` belongs. */
function childIndex(keys: readonly Key[], key: Key): number {
  let low = 1;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The node itself if `owner` made it, otherwise a copy that `owner` may change. */
function own<V>(node: Node<V>, owner: Owner): Node<V> {
  if (node.owner === owner) return node;
  return node instanceof Branch
    ? new Branch(owner, node.keys.slice(), node.children.slice(), node.size)
    : new Leaf(owner, node.keys.slice(), node.values.slice());
}

/** Puts into an owned node. What no longer fits is answered as a new right neighbour. */
function put<V>(node: Node<V>, key: Key, value: V, owner: Owner): Node<V> | undefined {
  if (node instanceof Branch) {
    const index = childIndex(node.keys, key);
    const child = own(node.children[index]!, owner);
    node.children[index] = child;
    const before = child.size;
    const right = put(child, key, value, owner);
    node.size += child.size - before;
    if (right === undefined) return undefined;
    node.size += right.size;
    node.keys.splice(index + 1, 0, right.keys[0]!);
    node.children.splice(index + 1, 0, right);
    return node.children.length > CAPACITY ? splitBranch(node, index + 1, owner) : undefined;
  }
  const index = lowerBound(node.keys, key);
  if (node.keys[index] === key) {
    node.values[index] = value;
    return undefined;
  }
  if (index === node.keys.length) {
    node.keys.push(key);
    node.values.push(value);
  } else {
    node.keys.splice(index, 0, key);
    node.values.splice(index, 0, value);
  }
  return node.keys.length > CAPACITY ? splitLeaf(node, index, owner) : undefined;
}

/** Where to split after an insertion at `index`: keys that come in ascending order leave full nodes behind. */
function splitPoint(length: number, index: number): number {
  return index === length - 1 ? index : length >>> 1;
}

function splitLeaf<V>(leaf: Leaf<V>, index: number, owner: Owner): Leaf<V> {
  const at = splitPoint(leaf.keys.length, index);
  return new Leaf(owner, leaf.keys.splice(at), leaf.values.splice(at));
}

function splitBranch<V>(branch: Branch<V>, index: number, owner: Owner): Branch<V> {
  const at = splitPoint(branch.children.length, index);
  const children = branch.children.splice(at);
  const size = sizeOf(children);
  branch.size -= size;
  return new Branch(owner, branch.keys.splice(at), children, size);
}

function sizeOf<V>(nodes: readonly Node<V>[]): number {
  let size = 0;
  for (const node of nodes) size += node.size;
  return size;
}

/** Removes a key that is known to be there from an owned node. */
function remove<V>(node: Node<V>, key: Key, owner: Owner): void {
  if (node instanceof Branch) {
    const index = childIndex(node.keys, key);
    const child = own(node.children[index]!, owner);
    node.children[index] = child;
    node.size--;
    remove(child, key, owner);
    if (child.size === 0) {
      node.keys.splice(index, 1);
      node.children.splice(index, 1);
    } else if (child.keys.length < UNDERFULL && node.children.length > 1)
      join(node, index > 0 ? index - 1 : index, owner);
  } else {
    const index = lowerBound(node.keys, key);
    node.keys.splice(index, 1);
    node.values.splice(index, 1);
  }
}

/** Joins the children `index` and `index + 1` of an owned branch into one node, or two equal ones if they don't fit into one. */
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
  branch.children[index] = left;
  if (left.keys.length <= CAPACITY) {
    branch.keys.splice(index + 1, 1);
    branch.children.splice(index + 1, 1);
    return;
  }
  const middle = left.keys.length >>> 1;
  const rest = left instanceof Branch ? splitBranch(left, middle, owner) : splitLeaf(left, middle, owner);
  branch.keys[index + 1] = rest.keys[0]!;
  branch.children[index + 1] = rest;
}

/** How many keys lie below `key`. */
function rank<V>(root: Node<V>, key: Key): number {
  let below = 0;
  let node = root;
  while (node instanceof Branch) {
    const index = childIndex(node.keys, key);
    for (let i = 0; i < index; i++) below += node.children[i]!.size;
    node = node.children[index]!;
  }
  return below + lowerBound(node.keys, key);
}

function forEach<V>(node: Node<V>, visit: (key: Key, value: V) => void): void {
  if (node instanceof Branch) {
    for (const child of node.children) forEach(child, visit);
  } else {
    for (let index = 0; index < node.keys.length; index++) visit(node.keys[index]!, node.values[index]!);
  }
}
