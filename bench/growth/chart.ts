/**
 * Draws a chart as SVG: panels side by side, with sizes on a logarithmic axis and figures on a linear one, or a
 * logarithmic one if they span several powers of ten. The background is white, so that it is readable on any page.
 */
import { type Chart, type Line, type Panel, sizeName } from './verdict.ts';

const WIDTH = 960;
/** The number of panels in a row. */
const PANEL = { width: 370, height: 220, across: 470, down: 320, left: 76, top: 82 };
const LEGEND = { row: 24, column: 430 };
/** The palette of Okabe and Ito, which colour-blind people can distinguish. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9'];
const [INK, FAINT] = ['#1a1a1a', '#d9d9d9'];
/** A panel whose figures differ by more than this factor has a logarithmic axis. */
const MAX_LINEAR = 50;

/** Draws a chart. */
export function drawChart({ title, of, panels }: Chart): string {
  const names = [...new Set(panels.flatMap(({ lines }) => lines.map(({ name }) => name)))];
  const colourOf = (name: string) => COLOURS[names.indexOf(name) % COLOURS.length] ?? INK;
  const legendTop = PANEL.top + Math.ceil(panels.length / 2) * PANEL.down - 16;
  const height = legendTop + Math.ceil(names.length / 2) * LEGEND.row;
  const legend = names.map((name, i) => {
    const [x, y] = [PANEL.left + (i % 2) * LEGEND.column, legendTop + Math.floor(i / 2) * LEGEND.row];
    const line = `<path d="M${x} ${y - 4}h24" stroke="${colourOf(name)}" stroke-width="2"/>`;
    return `${line}<circle cx="${x + 12}" cy="${y - 4}" r="3.5" fill="${colourOf(name)}"/>${text(name, x + 32, y)}`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, 'DejaVu Sans', Arial, sans-serif" font-size="13" fill="${INK}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    text(title, PANEL.left - 52, 34, 'font-size="18" font-weight="600"'),
    ...panels.map((panel, i) => {
      const [x, y] = [PANEL.left + (i % 2) * PANEL.across, PANEL.top + Math.floor(i / 2) * PANEL.down];
      return `<g transform="translate(${x} ${y})">\n${drawPanel(panel, of, colourOf)}\n</g>`;
    }),
    ...legend,
    '</svg>\n',
  ].join('\n');
}

function drawPanel({ title, lines }: Panel, of: string, colourOf: (name: string) => string): string {
  const { width, height } = PANEL;
  const sizes = [...new Set(lines.flatMap(({ points }) => points.map(({ n }) => n)))].toSorted((a, b) => a - b);
  // 0 is drawn in the place of 1.
  const logs = sizes.map((n) => Math.log10(Math.max(n, 1)));
  const [least, most] = [Math.min(...logs), Math.max(...logs)];
  const x = (n: number) => round(((Math.log10(Math.max(n, 1)) - least) / (most - least)) * width);
  const { ticks, y } = axisOf(lines, height);
  return [
    text(title, -52, -16, 'font-weight="600"'),
    ...ticks.map(
      (tick) =>
        `<path d="M0 ${y(tick)}h${width}" stroke="${FAINT}"/>${text(tickName(tick), -8, y(tick) + 4, 'text-anchor="end"')}`,
    ),
    ...sizes.map(
      (n) =>
        `<path d="M${x(n)} ${height}v5" stroke="${INK}"/>${text(sizeName(n), x(n), height + 19, 'text-anchor="middle"')}`,
    ),
    `<path d="M0 ${height}h${width}" stroke="${INK}"/>`,
    text(of, width / 2, height + 38, 'text-anchor="middle"'),
    ...lines.map(({ name, points }) => drawLine(points, x, y, colourOf(name))),
  ].join('\n');
}

/** Draws a line through the medians, with the least and the greatest round at each point. */
function drawLine(
  points: Line['points'],
  x: (n: number) => number,
  y: (value: number) => number,
  colour: string,
): string {
  const path = points.map(({ n, figure }, i) => `${i === 0 ? 'M' : 'L'}${x(n)} ${y(figure.median)}`).join('');
  const marks = points.map(
    ({ n, figure }) =>
      `<path d="M${x(n)} ${y(figure.min)}V${y(figure.max)}" stroke="${colour}"/><circle cx="${x(n)}" cy="${y(figure.median)}" r="3.5" fill="${colour}"/>`,
  );
  return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${marks.join('')}`;
}

/** Computes the positions of values and the grid lines. */
function axisOf(lines: readonly Line[], height: number): { ticks: readonly number[]; y: (value: number) => number } {
  const figures = lines.flatMap(({ points }) => points.map(({ figure }) => figure));
  const [least, most] = [Math.min(...figures.map(({ min }) => min)), Math.max(...figures.map(({ max }) => max))];
  if (most / least > MAX_LINEAR) {
    const [from, to] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))];
    const ticks = Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i));
    return { ticks, y: (value) => round(height - ((Math.log10(value) - from) / (to - from)) * height) };
  }
  const step = stepFor(most / 5);
  const ticks = Array.from({ length: Math.ceil(most / step) + 1 }, (_, i) => i * step);
  const top = ticks.at(-1) ?? most;
  return { ticks, y: (value) => round(height - (value / top) * height) };
}

/** Rounds up to one of 1, 2, 5, 10, … */
function stepFor(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((one) => one * power >= least) ?? 10);
}

const tickName = (tick: number) => (tick >= 100_000 ? sizeName(tick) : tick.toLocaleString('en'));

const text = (content: string, x: number, y: number, more = '') =>
  `<text x="${x}" y="${y}" ${more}>${escaped(content)}</text>`;

const escaped = (content: string) => content.replace(/[&<]/g, (one) => (one === '&' ? '&amp;' : '&lt;'));

const round = (value: number) => Math.round(value * 10) / 10;
