/** Hands the object's own methods on, but for those that `replaced` gives. */
export function wrapped<T extends object>(object: T, replaced: (name: PropertyKey, own: unknown) => unknown): T {
  return new Proxy(object, {
    get: (target, name) => {
      const own: unknown = Reflect.get(target, name, target);
      const other = replaced(name, own);
      if (other !== undefined) return other;
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}
