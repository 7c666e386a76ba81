/**
 * Writes the blocks of the API reference as HTML.
 */
import { anchorOf, type Block } from './blocks.ts';

/** @returns the address of a link on the page that is written; null: an instance does not have what it leads to */
export type Address = (href: string) => string | null;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

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
