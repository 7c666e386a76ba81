/**
 * `npm run bench:growth`: measures how the cost of a request grows with the number of reservations, definitions,
 * tenants, streams and instances. Writes tables, a chart for each series in docs/performance, and growth-results.json.
 * Takes under five minutes, on private servers. `-- --only <series>` measures one series.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { drawChart } from './growth/chart.ts';
import { definitions } from './growth/definitions.ts';
import { inDatabaseMode } from './growth/inDatabaseMode.ts';
import { instances } from './growth/instances.ts';
import { reservations } from './growth/reservations.ts';
import { streams } from './growth/streams.ts';
import { tenants } from './growth/tenants.ts';
import { type Findings, growthOf, noiseOf, tablesOf } from './growth/verdict.ts';
import { type Stage, setStage } from './stage.ts';
import { machine, readable } from './table.ts';

const RESULTS = 'growth-results.json';
const CHARTS = fileURLToPath(new URL('../docs/performance', import.meta.url));

/** In the order in which they run. */
const SERIES: Readonly<Record<string, (stage: Stage) => Promise<Findings>>> = {
  instances,
  tenants,
  streams,
  definitions,
  reservations,
};

const { only } = parseArgs({ options: { only: { type: 'string' } } }).values;
const names = Object.keys(SERIES).filter((name) => only === undefined || name === only);
if (names.length === 0) throw new Error(`there is no ${only}, but ${Object.keys(SERIES).join(', ')}`);

mkdirSync(CHARTS, { recursive: true });
const start = performance.now();
const seconds = () => Math.round((performance.now() - start) / 1000);
const say = (line: string) => process.stderr.write(`${String(seconds()).padStart(3)} s  ${line}\n`);
const found: Findings[] = [];
const facts = machine();
const stage = await inDatabaseMode(await setStage(say));
try {
  for (const name of names) {
    say(name);
    const findings = await SERIES[name]?.(stage);
    if (findings !== undefined) found.push(findings);
  }
} finally {
  await stage.strike();
}
for (const { chart } of found) writeFileSync(join(CHARTS, `${chart.name}.svg`), drawChart(chart));
for (const { chart } of found) console.log(`## ${chart.title}\n\n${tablesOf(chart)}\n`);
const all = { ...facts, seconds: seconds() };
const lines = found.flatMap(({ chart }) => chart.panels.filter(({ isCost }) => isCost).flatMap(({ lines }) => lines));
const noted = lines.filter((line) => growthOf(line).verdict === 'NOTE').map(({ name }) => name);
for (const { what, value, unit } of found.flatMap((one) => one.facts))
  console.log(`${what}: ${readable(value)} ${unit}`.trimEnd());
for (const [name, value] of Object.entries(all)) console.log(`${name}: ${value}`);
console.log(`Rounds differ from their median by ${(noiseOf(lines) * 100).toFixed(1)}%, half of them by less.`);
console.log(noted.length === 0 ? 'Nothing grows faster than logarithmically.' : `Check these: ${noted.join('; ')}.`);
writeFileSync(RESULTS, `${JSON.stringify({ facts: all, found }, null, 1)}\n`);
console.log(`The same as JSON: ${RESULTS}`);
