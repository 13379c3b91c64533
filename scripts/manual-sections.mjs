// What the search over the documentation finds: the sections of its pages, each with the words that stand in it.
import MiniSearch from 'minisearch';
import { anchors } from './manual-anchors.mjs';

const HEADING = /^#{1,4} (.+)$/;
const termsOf = MiniSearch.getDefault('tokenize');
/** Longer ones are tokens and keys of examples. */
const LONGEST_TERM = 40;

/** The sections of a page, in its order; the first has no anchor. Each word is listed once, since only the page tells where it stands. */
export function sectionsOf({ address, title, markdown }) {
  const anchor = anchors();
  const sections = [];
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const [, heading] = (!isCode && HEADING.exec(line)) || [];
    if (heading === undefined) sections.at(-1)?.lines.push(line);
    else sections.push({ heading: heading.replaceAll('`', ''), anchor: anchor(heading), lines: [] });
  }
  return sections.map(({ heading, anchor, lines }, at) => ({
    page: title,
    heading: at === 0 ? '' : heading,
    address: `/docs${address && `/${address}`}${at === 0 ? '' : `#${anchor}`}`,
    words: wordsOf(lines.join('\n')),
  }));
}

function wordsOf(text) {
  const terms = termsOf(text.toLowerCase()).filter((term) => term.length > 1 && term.length <= LONGEST_TERM);
  return [...new Set(terms)].join(' ');
}
