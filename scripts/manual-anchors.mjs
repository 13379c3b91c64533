// The anchors of headings, as in most places that show Markdown.

/** A function that gives each heading of a page its anchor: lower case, without punctuation, hyphens for blanks, numbers to repeated ones. */
export function anchors() {
  const known = new Set();
  return (heading) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    let unique = anchor;
    for (let count = 1; known.has(unique); count++) unique = `${anchor}-${count}`;
    known.add(unique);
    return unique;
  };
}
