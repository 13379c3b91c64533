/** A value with all that is in it: objects and arrays can be folded, links followed. Long arrays are shown in part. */
import { Text } from '@mantine/core';
import { Value } from './value.js';

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
      <div className="leaf">
        {name !== undefined && <span className="name">{name}</span>}
        <Value value={value} whole />
      </div>
    );
  }
  const list = members.slice(0, MOST).map(([key, inner]) => <ValueTree key={key} name={key} value={inner} />);
  const rest = members.length > MOST && (
    <Text c="dimmed" size="sm">
      {members.length - MOST} more
    </Text>
  );
  if (name === undefined) {
    return (
      <div className="tree">
        {list}
        {rest}
      </div>
    );
  }
  return (
    <details open className="tree">
      <summary>
        <span className="name">{name}</span>
        <Text span c="dimmed" size="sm">
          {Array.isArray(value) ? `${members.length} elements` : `${members.length} fields`}
        </Text>
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
