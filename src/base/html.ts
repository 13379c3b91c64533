/** Texts within HTML. */

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text that means itself between tags and in attributes within double quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] as string);
}

/** A piece of HTML, as `html` makes it. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = string | Html | readonly Html[] | undefined;

/**
 * HTML in which everything that is put in means itself, but for what is HTML already.
 *
 *     html`<p>${'<b>'}</p>`.text   // '<p>&lt;b&gt;</p>'
 */
export function html(pieces: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(pieces.map((piece, index) => (index === 0 ? piece : textOf(parts[index - 1]) + piece)).join(''));
}

function textOf(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'string') return escapeHtml(part);
  return part instanceof Html ? part.text : part.map(({ text }) => text).join('');
}
