/**
 * The parts of a page of the API reference, and their HTML. Texts are Markdown: `code`, **bold** and
 * [links](address).
 */

/**
 * The blocks of a page of the API reference. Texts are Markdown: `code`, **bold** and [links](address).
 */
export type Block =
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string };

export const heading = (level: 1 | 2 | 3, text: string): Block => ({ kind: 'heading', level, text });
export const text = (text: string): Block => ({ kind: 'text', text });
export const list = (items: readonly string[]): Block => ({ kind: 'list', items });
export const code = (language: string, text: string): Block => ({ kind: 'code', language, text });
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): Block => ({
  kind: 'table',
  head,
  rows,
});

/** The anchor of a heading, as code hosts make it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

/** @returns the address of a link on the page that is written; null: an instance does not have what it leads to */
export type Address = (href: string) => string | null;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Writes the blocks of the API reference as HTML. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (one) => ENTITIES[one] ?? one);

/** `code`, **bold** or a [link](address). */
const MARKS = /`([^`]*)`|\*\*([^*]+)\*\*|\[([^\]]*)\]\(([^)]*)\)/g;

function inline(text: string, address: Address): string {
  let html = '';
  let end = 0;
  for (const match of text.matchAll(MARKS)) {
    const [whole, code, bold, label = '', href = ''] = match;
    html += escapeHtml(text.slice(end, match.index));
    end = match.index + whole.length;
    if (code !== undefined) html += `<code>${escapeHtml(code)}</code>`;
    else if (bold !== undefined) html += `<strong>${escapeHtml(bold)}</strong>`;
    else html += linked(inline(label, address), address(href));
  }
  return html + escapeHtml(text.slice(end));
}

const linked = (label: string, href: string | null) =>
  href === null ? label : `<a href="${escapeHtml(href)}">${label}</a>`;

function written(block: Block, address: Address): string {
  const marked = (text: string) => inline(text, address);
  switch (block.kind) {
    case 'heading':
      return `<h${block.level} id="${anchorOf(block.text)}">${marked(block.text)}</h${block.level}>`;
    case 'text':
      return `<p>${marked(block.text).replaceAll('\n', '<br>')}</p>`;
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${marked(item)}</li>`).join('')}</ul>`;
    case 'code':
      // It can be scrolled by the keyboard.
      return `<pre tabindex="0"><code>${escapeHtml(block.text)}</code></pre>`;
    case 'table':
      return tableOf(block.head, block.rows, marked);
  }
}

function tableOf(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  marked: (text: string) => string,
): string {
  const top = head.map((cell) => `<th scope="col">${marked(cell)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${marked(cell)}</td>`).join('')}</tr>`).join('');
  return `<div class="table" tabindex="0"><table><thead><tr>${top}</tr></thead><tbody>${body}</tbody></table></div>`;
}

export const toHtml = (blocks: readonly Block[], address: Address): string =>
  blocks.map((block) => written(block, address)).join('\n');

/**
 * The style sheet and the script of the reference's pages.
 */
export const STYLE = `:root {
  color-scheme: light dark;
  --text: light-dark(#1c2430, #e3e8ef);
  --soft: light-dark(#566174, #9aa7ba);
  --line: light-dark(#d9dfe8, #323c4c);
  --back: light-dark(#ffffff, #12171f);
  --code: light-dark(#f4f6f9, #1a212c);
  --link: light-dark(#0b5cad, #7db7f5);
}
* { box-sizing: border-box; }
body { margin: 0; color: var(--text); background: var(--back); font: 16px/1.55 system-ui, sans-serif; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: .75rem 1.25rem; border-bottom: 1px solid var(--line); }
nav a { color: var(--soft); text-decoration: none; }
nav a:hover, nav a[aria-current] { color: var(--text); text-decoration: underline; text-underline-offset: .3em; }
main { max-width: 62rem; margin: 0 auto; padding: 1rem 1.25rem 4rem; overflow-wrap: break-word; }
h1 { font-size: 1.8rem; line-height: 1.2; }
h2 { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: 1.35rem; }
a { color: var(--link); }
code { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
:not(pre) > code { padding: .1em .3em; background: var(--code); border-radius: 4px; }
pre { padding: .75rem 1rem; overflow-x: auto; background: var(--code); border: 1px solid var(--line); border-radius: 6px; }
.table { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th, td { padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top; }
td { min-width: 6rem; overflow-wrap: anywhere; }
td:last-child { min-width: 16rem; }
th { color: var(--soft); font-weight: 600; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
`;

/** A proxy may have another address than the instance sees: the browser knows it. */
export const ORIGIN_SCRIPT = `const address = location.href.replace(/\\/docs(\\/[a-z]*)?([?#].*)?$/, '');
for (const one of document.querySelectorAll('.origin')) one.textContent = address;
`;
