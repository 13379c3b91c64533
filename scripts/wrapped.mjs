// Prose of at most 120 columns, for pages that programs write.
const COLUMNS = 120;
/** What Markdown reads as something else at the start of a line: it stays behind the word before it. */
const STARTS_A_BLOCK = /^([-+*]|#{1,6}|=+|--+|>.*|`{3}.*|\d+[.)])$/;

/** The text in lines of at most 120 columns, `indent` before each but the first. Code that fits a line stays whole. */
export function wrapped(text, indent = '') {
  const [first = '', ...rest] = wordsOf(text);
  const lines = [first];
  for (const word of rest) {
    const joined = `${lines.at(-1)} ${word}`;
    if ([...joined].length <= COLUMNS) lines[lines.length - 1] = joined;
    else lines.push(indent + word);
  }
  return lines.join('\n');
}

/** What may stand at the start of a line: words, and code with what belongs to it. */
function wordsOf(text) {
  const words = [];
  for (const part of text.trim().match(/(?:`+[^`]*`+|[^\s`])+/g) ?? []) {
    const pieces = part.length > COLUMNS - 10 ? part.split(/\s+/) : [part.replace(/\s+/g, ' ')];
    for (const piece of pieces) {
      if (words.length > 0 && STARTS_A_BLOCK.test(piece)) words.push(`${words.pop()} ${piece}`);
      else words.push(piece);
    }
  }
  return words;
}
