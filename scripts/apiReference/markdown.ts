/**
 * Writes the blocks of the API reference as Markdown.
 */
import type { Block } from '../../src/http/reference/blocks.ts';

const MAX_WIDTH = 120;

/** Breaks a paragraph into lines. */
export function wrap(text: string): string {
  const lines: string[] = [];
  // A link or a piece of code stays on one line.
  for (const word of text.match(/(?:\[[^\]]*\]\([^)]*\)|`[^`]*`|\S)+/g) ?? []) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= MAX_WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}

const inCell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const row = (cells: readonly string[]) => `| ${cells.map(inCell).join(' | ')} |`.replaceAll('|  |', '| |');

function written(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${block.text}`;
    case 'text':
    case 'more':
      return block.text.split('\n').map(wrap).join('\n');
    case 'list':
      return block.items.map((item) => `- ${item}`).join('\n');
    case 'code':
      return `\`\`\`${block.language} excerpt\n${block.text}\n\`\`\``;
    case 'table':
      return [row(block.head), row(block.head.map(() => '---')), ...block.rows.map(row)].join('\n');
  }
}

export const toMarkdown = (blocks: readonly Block[]): string => `${blocks.map(written).join('\n\n')}\n`;
