/** A value with all that is in it: objects and arrays can be folded, links followed. Long arrays are shown in part. */
import { Value } from '../../components/value.js';

/** Members of an array or object that are shown. */
const MOST = 200;

interface Properties {
  readonly value: unknown;
  readonly name?: string;
}

export function ValueTree({ value, name }: Properties) {
  const members = membersOf(value);
  if (members === undefined) {
    return (
      <div class="leaf">
        {name !== undefined && <span class="name">{name}</span>}
        <Value value={value} whole />
      </div>
    );
  }
  const list = members.slice(0, MOST).map(([key, inner]) => <ValueTree key={key} name={key} value={inner} />);
  const rest = members.length > MOST && <p class="muted">{members.length - MOST} more</p>;
  if (name === undefined) {
    return (
      <div class="tree">
        {list}
        {rest}
      </div>
    );
  }
  return (
    <details open class="tree">
      <summary>
        <span class="name">{name}</span>
        <span class="muted">{Array.isArray(value) ? `${members.length} elements` : `${members.length} fields`}</span>
      </summary>
      {list}
      {rest}
    </details>
  );
}

/** What is in an array or a plain object; `undefined` for other values. */
function membersOf(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (Array.isArray(value)) return value.map((inner, at) => [String(at), inner] as const);
  if (typeof value !== 'object' || value === null) return undefined;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? Object.entries(value) : undefined;
}
