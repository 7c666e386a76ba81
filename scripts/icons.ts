/**
 * The icons of the dashboard: drawings of Lucide, as the module that the service is built with.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Name in the dashboard → name in Lucide. */
const ICONS = {
  board: 'calendar-range',
  mine: 'user-round',
  activity: 'history',
  insight: 'chart-column',
  resources: 'box',
  access: 'key-round',
  settings: 'sliders-horizontal',
  switch: 'chevrons-up-down',
  more: 'menu',
  search: 'search',
  bell: 'bell',
  signOut: 'log-out',
  scan: 'qr-code',
  plus: 'plus',
  close: 'x',
  undo: 'undo-2',
  down: 'chevron-down',
  ellipsis: 'ellipsis',
  timeline: 'chart-no-axes-gantt',
  table: 'list',
  grid: 'layout-grid',
  filter: 'list-filter',
  print: 'printer',
  queue: 'list-plus',
  extend: 'clock-plus',
  phone: 'smartphone',
  environment: 'server',
  pool: 'layers',
} as const;

/** Returns the text of src/dashboard/icons.ts. */
export function iconsModule(): string {
  const folder = createRequire(import.meta.url)
    .resolve('lucide-static/icons/box.svg')
    .replace('box.svg', '');
  const lines = Object.entries(ICONS).map(([name, icon]) => {
    const [, drawing = ''] = /<svg[^>]*>(.*)<\/svg>/s.exec(readFileSync(`${folder}${icon}.svg`, 'utf8')) ?? [];
    return `  ${name}:\n    '${drawing.replace(/\s*\n\s*/g, '').replaceAll(' />', '/>')}',\n`;
  });
  return `/**
 * Icons of Lucide (ISC licence), which \`npm run generate\` writes: what stands in an svg element of 24 × 24.
 */
// biome-ignore format: generated
export const ICONS = {\n${lines.join('')}} as const;
`;
}
