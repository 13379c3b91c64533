import { encodeOrder } from '../../value/codecs/key-codec.js';
import type { Value } from '../../value/value.js';

/**
 * Where the values of the keys of groups lead, key by key. Values that are equal in the total order, such as `1` and
 * `1f`, lead to one node.
 */
export class GroupNode<Group> {
  /** What stands here, where the last key has been. */
  group: Group | undefined;
  /** By what the values are encoded as. The last nodes, which may be many, have no such maps. */
  #byOrder: Map<string, GroupNode<Group>> | undefined;
  /** The same by bare values, which needn't be encoded to be found again. */
  #byValue: Map<Value, GroupNode<Group>> | undefined;

  /** `order`: what all values on the way here are encoded as. */
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
