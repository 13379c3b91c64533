/** SurrealQL for the editor: a tokenizer that knows the words of the server's own parser. */
import { HighlightStyle, StreamLanguage, type StreamParser, syntaxHighlighting } from '@codemirror/language';
import { tags } from '@lezer/highlight';
import { KEYWORDS } from '../../../src/language/keywords.js';

interface State {
  /** What an unfinished text or comment ends with. */
  readonly until: string | undefined;
}

const LITERALS = new Set(['NONE', 'NULL', 'TRUE', 'FALSE', 'NAN', 'INFINITY']);

const parser: StreamParser<{ state: State }> = {
  name: 'surrealql',
  startState: () => ({ state: { until: undefined } }),
  copyState: ({ state }) => ({ state }),
  token(stream, holder) {
    const { until } = holder.state;
    if (until !== undefined) return rest(stream, holder, until);
    if (stream.eatSpace()) return null;
    if (stream.match(/^(--|#|\/\/).*/)) return 'comment';
    if (stream.match('/*')) return rest(stream, holder, '*/');
    const quote = stream.match(/^[srdub]?(['"])/) as RegExpMatchArray | null;
    if (quote !== null) return rest(stream, holder, quote[1] as string);
    if (stream.match('`')) return rest(stream, holder, '`');
    if (stream.match(/^\$\w+/)) return 'variableName';
    if (stream.match(/^\d[\d_]*(\.\d+)?([eE][+-]?\d+)?(\w+)?/)) return 'number';
    if (stream.match(/^[a-z]\w*(::\w+)+/i)) return 'function';
    const word = stream.match(/^[A-Za-z_]\w*/) as RegExpMatchArray | null;
    if (word !== null) {
      const upper = word[0].toUpperCase();
      if (LITERALS.has(upper)) return 'atom';
      return KEYWORDS.has(upper) ? 'keyword' : 'propertyName';
    }
    if (stream.match(/^(->|<-|<->|[-+*/=<>!?&|~%^]+)/)) return 'operator';
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: '--', block: { open: '/*', close: '*/' } } },
  tokenTable: { function: tags.function(tags.variableName) },
};

type Stream = Parameters<typeof parser.token>[0];

/** Reads on to the end of a text, a comment or a quoted name; the next line goes on where this one ends before it. */
function rest(stream: Stream, holder: { state: State }, until: string): string {
  const kind = until === '*/' ? 'comment' : until === '`' ? 'propertyName' : 'string';
  while (!stream.eol()) {
    if (stream.match(until)) {
      holder.state = { until: undefined };
      return kind;
    }
    if (stream.next() === '\\') stream.next();
  }
  holder.state = { until };
  return kind;
}

export const surrealql = StreamLanguage.define(parser);

/** The colours are those of `design/tokens.css`. */
export const colours = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.keyword, color: 'var(--link)', fontWeight: '600' },
    { tag: tags.string, color: 'var(--text-value)' },
    { tag: [tags.number, tags.atom], color: 'var(--number-value)' },
    { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
    { tag: tags.function(tags.variableName), color: 'var(--link)' },
    { tag: tags.variableName, color: 'var(--warning)' },
  ]),
);
