/** Sanitizing HTML: by encoding all of it, or by keeping known safe parts. */
import type { DefaultTreeAdapterTypes } from 'parse5';
import { lazyLibrary } from '../../base/lazy.js';

const library = lazyLibrary<typeof import('parse5')>('parse5');

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '`': '&grave;',
  '/': '&#47;',
  '=': '&#61;',
  ' ': '&#32;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\f': '&#12;',
  '\r': '&#13;',
};

/** A text that means itself anywhere in HTML, also in an attribute without quotes. */
export function encodeHtml(text: string): string {
  return text.replace(/[&<>"'`/= \t\n\f\r]/g, (character) => ENTITIES[character] as string);
}

const words = (list: string) => new Set(list.split(' '));

const TAGS = words(
  'a abbr acronym area article aside b bdi bdo blockquote br caption center cite code col colgroup data dd del details dfn div dl dt ' +
    'em figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd li map mark nav ol p pre q rp rt rtc ruby s samp ' +
    'small span strike strong sub summary sup table tbody td th thead time tr tt u ul var wbr',
);
/** These are removed with their content; the content of others stays. */
const REMOVED_WHOLE = words('script style');
const ATTRIBUTES = words('lang title');
const ATTRIBUTES_OF: Readonly<Record<string, ReadonlySet<string>>> = {
  a: words('href hreflang'),
  bdo: words('dir'),
  blockquote: words('cite'),
  col: words('align char charoff span'),
  colgroup: words('align char charoff span'),
  del: words('cite datetime'),
  hr: words('align size width'),
  img: words('align alt height src width'),
  ins: words('cite datetime'),
  ol: words('start'),
  q: words('cite'),
  table: words('align char charoff summary'),
  tbody: words('align char charoff'),
  td: words('align char charoff colspan headers rowspan'),
  tfoot: words('align char charoff'),
  th: words('align char charoff colspan headers rowspan scope'),
  thead: words('align char charoff'),
  tr: words('align char charoff'),
};
const URL_ATTRIBUTES = words('href src cite');
const SCHEMES = words(
  'bitcoin: ftp: ftps: geo: http: https: im: irc: ircs: magnet: mailto: mms: mx: news: nntp: openpgp4fpr: sip: sms: smsto: ssh: tel: ' +
    'url: webcal: wtai: xmpp:',
);

/** The serializer is recursive; elements deeper than this are dropped like unknown ones. */
const MAX_DEPTH = 256;

type ParentNode = DefaultTreeAdapterTypes.ParentNode;
type ChildNode = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

/** A fragment of HTML with only the tags, attributes and kinds of URLs that can do no harm; links lose their opener. */
export function sanitizeHtml(html: string): string {
  const { parseFragment, serialize, defaultTreeAdapter: tree } = library();
  const source = parseFragment(html);
  const result = tree.createDocumentFragment();
  // An explicit stack instead of recursion, since a fragment may be nested as deeply as it is long.
  const work: Step[] = [];
  addChildren(work, source, result, 0);
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const { node, parent, depth } = next;
    if (tree.isTextNode(node)) tree.insertText(parent, node.value);
    if (!tree.isElementNode(node) || REMOVED_WHOLE.has(node.tagName)) continue;
    if (!TAGS.has(node.tagName) || depth >= MAX_DEPTH) {
      addChildren(work, node, parent, depth);
      continue;
    }
    const kept = tree.createElement(node.tagName, node.namespaceURI, attributesOf(node));
    tree.appendChild(parent, kept);
    addChildren(work, node, kept, depth + 1);
  }
  return serialize(result);
}

interface Step {
  readonly node: ChildNode;
  readonly parent: ParentNode;
  readonly depth: number;
}

/** Last first, so that they come off the list in order. */
function addChildren(work: Step[], { childNodes }: ParentNode, parent: ParentNode, depth: number): void {
  for (let index = childNodes.length - 1; index >= 0; index--) {
    work.push({ node: childNodes[index] as ChildNode, parent, depth });
  }
}

function attributesOf({ tagName, attrs }: Element): Element['attrs'] {
  const kept = attrs.filter(
    ({ name, value }) =>
      (ATTRIBUTES.has(name) || ATTRIBUTES_OF[tagName]?.has(name)) && (!URL_ATTRIBUTES.has(name) || isHarmless(value)),
  );
  return tagName === 'a' ? [...kept, { name: 'rel', value: 'noopener noreferrer' }] : kept;
}

/** Relative, or with a scheme that runs nothing. */
function isHarmless(url: string): boolean {
  if (URL.canParse(url)) return SCHEMES.has(new URL(url).protocol);
  return URL.canParse(url, 'http://base.invalid/');
}
