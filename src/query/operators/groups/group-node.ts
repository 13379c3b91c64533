import { encodeOrder } from '../../../value/codecs/key-codec.js';
import type { Value } from '../../../value/value.js';

/**
 * A trie of the keys of groups. Values that are equal in the total order, such as `1` and
 * `1f`, lead to one node.
 */
export class GroupNode<Group> {
  /** The group here, at the last key. */
  group: Group | undefined;
  /** Children by encoded values. The leaves, which may be many, have no such maps. */
  #byOrder: Map<string, GroupNode<Group>> | undefined;
  /** Children by primitive values, which needn't be encoded. */
  #byValue: Map<Value, GroupNode<Group>> | undefined;

  /** `order`: the encoded values on the path. */
  constructor(readonly order: string) {}

  at(value: Value): GroupNode<Group> {
    return this.#byValue?.get(value) ?? this.#find(value);
  }

  #find(value: Value): GroupNode<Group> {
    const order = this.order + encodeOrder(value);
    this.#byOrder ??= new Map();
    let node = this.#byOrder.get(order);
    if (node === undefined) {
      node = new GroupNode(order);
      this.#byOrder.set(order, node);
    }
    if (typeof value !== 'object') {
      this.#byValue ??= new Map();
      this.#byValue.set(value, node);
    }
    return node;
  }
}
