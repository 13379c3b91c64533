/** The ordered map of the storage: data of the memory engine, and overlays of transactions. */
import type { Key, KeyRange } from '../contract.js';
import {
  above,
  Branch,
  get,
  Leaf,
  type Node,
  newRoot,
  Owner,
  own,
  put,
  rank,
  remove,
  seekChild,
  seekIndex,
} from './tree-node.js';

/** Has an owner of its own, so that every insertion makes a copy. */
const EMPTY = new Leaf<never>(new Owner(), [], [], 0, []);

/**
 * A persistent B+tree from byte strings to values.
 *
 * `snapshot` takes constant time: both trees share all nodes from then on, and whichever is changed copies the few
 * nodes on the way. A node remembers the tree that made it (its owner), so that a tree changes its own nodes in place
 * and a bulk load copies nothing. Once all snapshots are released it may do so again: most transactions of a store are
 * alone, and copies of nodes for each were most of what the garbage collector had to move.
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
    return get(this.#root, key);
  }

  /** The value of the greatest key that is `key` or below it. */
  floor(key: Key): V | undefined {
    let node = this.#root;
    let before: Node<V> | undefined;
    while (node instanceof Branch) {
      const index = seekChild(node, key);
      if (index > 0) before = node.children[index - 1];
      node = node.children[index]!;
    }
    const index = seekIndex(node, key);
    if (node.keys[index] === key) return node.values[index];
    if (index > 0) return node.values[index - 1];
    while (before instanceof Branch) before = before.children[before.children.length - 1];
    return before?.values[before.values.length - 1];
  }

  put(key: Key, value: V): void {
    const owner = this.#soleOwner();
    if (this.#root === EMPTY) {
      this.#root = newRoot(key, value, owner);
      return;
    }
    const left = own(this.#root, owner);
    const right = put(left, key, value, owner);
    this.#root = right === undefined ? left : above(left, right, owner);
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

  /** An independent tree with the same entries, in constant time. */
  snapshot(): OrderedTree<V> {
    const copy = new OrderedTree<V>();
    copy.#root = this.#root;
    copy.#shown = this.#owner;
    this.#owner.readers++;
    // What shows the same nodes won't be released, and so neither is this.
    this.#shown = undefined;
    return copy;
  }

  /**
   * A snapshot is no longer read, so that its tree needn't preserve nodes for it. Nothing depends on its
   * being called.
   */
  release(): void {
    if (this.#shown !== undefined) this.#shown.readers--;
    this.#shown = undefined;
  }

  /** The owner for a change: a new one if snapshots show nodes of the present one. */
  #soleOwner(): Owner {
    if (this.#owner.readers > 0) this.#owner = new Owner();
    return this.#owner;
  }

  /** The number of keys in a range, in logarithmic time. */
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
      const index = seekChild(node, first);
      this.#path.push(node);
      this.#indexes.push(index);
      node = node.children[index]!;
    }
    this.#leaf = node;
    if (range.from >= range.to) return;
    const index = seekIndex(node, first);
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

  /**
   * The same for values alone, with the key of the last one. They are copied a leaf at a time: one by one takes six
   * times as long.
   */
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

  /** Skips `count` entries, a leaf at a time, and returns the key of the last; `undefined` if none follows. */
  skip(count: number): Key | undefined {
    const step = this.#reverse ? -1 : 1;
    let left = count - 1;
    while (this.#index !== this.#end) {
      const available = (this.#end - this.#index) * step;
      if (left < available) {
        this.#index += left * step;
        const { key } = this;
        this.advance();
        return this.key === undefined ? undefined : key;
      }
      left -= available;
      this.#index = this.#end;
      this.#nextLeaf();
    }
    return undefined;
  }

  /** Finds the end of the range in this leaf. */
  #setEnd(): void {
    const end = seekIndex(this.#leaf, this.#last);
    this.#end = this.#reverse ? Math.min(end - 1, this.#index) : Math.max(end, this.#index);
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

function forEach<V>(node: Node<V>, visit: (key: Key, value: V) => void): void {
  if (node instanceof Branch) {
    for (const child of node.children) forEach(child, visit);
  } else {
    for (let index = 0; index < node.keys.length; index++) visit(node.keys[index]!, node.values[index]!);
  }
}
