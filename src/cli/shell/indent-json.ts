/** JSON over several lines, without reading its numbers, which JavaScript couldn't hold exactly. */
const INDENT = '  ';

/** `{"a":[1]}` with a line for each item. The text must be JSON without blanks. */
export function indentJson(text: string): string {
  let depth = 0;
  const line = () => `\n${INDENT.repeat(depth)}`;
  return text.replace(/"(?:[^"\\]|\\.)*"|\[\]|\{\}|[[\]{},:]/g, (part) => {
    switch (part) {
      case '[':
      case '{':
        depth++;
        return part + line();
      case ']':
      case '}':
        depth--;
        return line() + part;
      case ',':
        return part + line();
      case ':':
        return ': ';
      default:
        return part;
    }
  });
}
