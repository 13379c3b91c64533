// Makes the pages of `GET /docs` out of docs/: each as HTML and as Markdown, an index for the search, and the texts for language models
// (`/llms.txt`). scripts/pages.mjs runs it.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, posix } from 'node:path';
import MarkdownIt from 'markdown-it';
import { anchors } from './manual-anchors.mjs';
import { sectionsOf } from './manual-sections.mjs';

const ROOT = 'docs';
const START = 'README.md';
/** Folders for those who use Tessera, with their titles; the others are about the source, which the package hasn't. */
const FOLDERS = { guides: 'Guides', 'guides/sign-in': 'Signing in', reference: 'Reference', operating: 'Operating' };

const CONTENT_TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/**
 * Writes all files into `folder`, where the script and the style sheet are already, and `manifest.json`, which says at which address
 * each of them is served.
 */
export function writeManual(folder, bundled) {
  const files = new Map(bundled.map((name) => [name, { file: name, forever: true }]));
  const write = (address, file, content) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
    files.set(address, { file, forever: false });
  };
  const pages = readPages();
  const template = filledTemplate(bundled, pages);
  for (const page of pages) {
    write(page.address, `${page.address || 'index'}.html`, template(page));
    write(page.source, page.source, page.markdown);
  }
  for (const image of new Set(pages.flatMap(({ markdown }) => imagesIn(markdown)))) {
    mkdirSync(dirname(join(folder, image)), { recursive: true });
    copyFileSync(join(ROOT, image), join(folder, image));
    files.set(image, { file: image, forever: false });
  }
  write('pages.json', 'pages.json', JSON.stringify(pages.map(({ address, title }) => ({ address, title }))));
  write('search.json', 'search.json', JSON.stringify(pages.flatMap(sectionsOf)));
  write('llms.txt', 'llms.txt', llmsText(pages));
  const manifest = [...files].map(([address, { file, forever }]) => {
    const tag = createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('base64url')
      .slice(0, 22);
    return { address, file, tag, forever, contentType: CONTENT_TYPES[extname(file)] };
  });
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
}

/** All pages in the order in which the first one names them. */
function readPages() {
  const inFolders = Object.keys(FOLDERS).flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  );
  const sources = [START, ...inFolders];
  const start = readFileSync(join(ROOT, START), 'utf8');
  const place = (source) => start.indexOf(`(${source})`);
  return sources
    .sort((a, b) => place(a) - place(b))
    .map((source) => {
      const markdown = servedMarkdown(source, new Set(sources));
      const [, title = source] = /^# (.+)$/m.exec(markdown) ?? [];
      return { source, address: addressOf(source), title, markdown, summary: summaryOf(markdown) };
    });
}

function addressOf(source) {
  return source === START ? '' : source.replace(/\.md$/, '');
}

/**
 * The text with links that lead somewhere where it is served: those to other pages by their addresses there, and names of files instead
 * of links to what is in the source alone.
 */
function servedMarkdown(source, sources) {
  return outsideCode(readFileSync(join(ROOT, source), 'utf8'), (text) =>
    text
      .replace(/^<!--.*?-->\n/gms, '')
      .replace(/\[([^[\]]*)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)/g, (written, shown, path, anchor = '') => {
        const target = posix.join(posix.dirname(source), path);
        if (sources.has(target)) return `[${shown}](/docs/${target}${anchor})`;
        if (extname(target) === '.jpg') return `[${shown}](/docs/${target})`;
        const file = posix.join(ROOT, target);
        if (!existsSync(file)) throw new Error(`${source} leads to ${written}`);
        return shown === `\`${file}\`` ? shown : `${shown} (\`${file}\` of the source)`;
      }),
  );
}

/** Changes what isn't in blocks of code. */
function outsideCode(markdown, change) {
  return markdown
    .split(/^(```.*?^```$)/ms)
    .map((part) => (part.startsWith('```') ? part : change(part)))
    .join('');
}

function imagesIn(markdown) {
  return [...markdown.matchAll(/!\[[^\]]*\]\(\/docs\/([^)]+)\)/g)].map(([, path]) => path);
}

/** The first sentence, without its links and signs. */
function summaryOf(markdown) {
  const [, paragraph = ''] = /^# .+\n\n([\s\S]*?)\n\n/.exec(markdown) ?? [];
  const text = paragraph
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\s+/g, ' ')
    .replaceAll('**', '');
  return (/^.*?[.:](?=\s|$)/.exec(text)?.[0] ?? text).replace(/:$/, '.');
}

function llmsText(pages) {
  const lines = pages.map(({ source, title, summary }) => `- [${title}](/docs/${source}): ${summary}`);
  const about =
    '> A database server that apps and browsers talk to directly. It speaks SurrealQL over HTTP and WebSockets, and GraphQL.';
  return `# Tessera\n\n${about}\n\n## Docs\n\n${lines.join('\n')}\n`;
}

/** A function that fills pages/docs.html with a page. */
function filledTemplate(bundled, pages) {
  const named = (ending) => `/docs/${bundled.find((name) => name.endsWith(ending))}`;
  const html = readFileSync('pages/docs.html', 'utf8')
    .replace('{style}', named('.css'))
    .replace('{script}', named('.js'));
  return (page) => {
    const texts = {
      title: escaped(page.title),
      navigation: navigation(pages, page),
      source: `/docs/${page.source}`,
      content: rendered(page.markdown),
    };
    return html.replace(/\{(\w+)\}/g, (written, name) => texts[name] ?? written);
  };
}

function navigation(pages, current) {
  const link = ({ address, title }) => {
    const mark = address === current.address ? ' aria-current="page"' : '';
    return `<li><a href="/docs${address && `/${address}`}"${mark}>${escaped(title)}</a></li>`;
  };
  const groups = Object.entries(FOLDERS).map(([folder, title]) => {
    const within = pages.filter(({ address }) => posix.dirname(address) === folder);
    return `<h2>${title}</h2><ul>${within.map(link).join('')}</ul>`;
  });
  return `<ul>${link(pages.find(({ address }) => address === ''))}</ul>${groups.join('')}`;
}

const markdown = new MarkdownIt();
const { rules } = markdown.renderer;
// What may be wider than the page scrolls, and so has to be reached by keyboard.
const { fence } = rules;
rules.fence = (...given) => fence(...given).replace('<pre', '<pre tabindex="0"');
rules.table_open = () => '<div class="scrolling" tabindex="0"><table>';
rules.table_close = () => '</table></div>';
rules.heading_open = (tokens, at, _options, env) => {
  const { tag } = tokens[at];
  return `<${tag} id="${escaped(env.anchor(tokens[at + 1].content))}">`;
};
rules.link_open = (tokens, at, options, _env, self) => {
  const token = tokens[at];
  token.attrSet(
    'href',
    token.attrGet('href').replace(/^\/docs\/(?:README|([^#]+))\.md/, (_, path) => `/docs${path ? `/${path}` : ''}`),
  );
  return self.renderToken(tokens, at, options);
};

function rendered(text) {
  return markdown.render(text, { anchor: anchors() });
}

function escaped(text) {
  return markdown.utils.escapeHtml(text);
}
