/**
 * `npm run bench`: measures the service, its ceiling and its peers in the same run, in turn. Writes a table and
 * bench-results.json. Takes about nine minutes, on private servers. `-- --only <family>` measures one family. NODE_BIN
 * names another Node for the measured servers.
 *
 * `npm run bench -- --against <checkout>` compares two builds in turn instead: this one, and one of a commit or of
 * another folder. `npm run bench -- <checkout> --against <checkout>` compares any two. Takes a minute.
 */
import { parseArgs } from 'node:util';
import { asks } from './families/asks.ts';
import { batches } from './families/batches.ts';
import { builds } from './families/builds.ts';
import { client } from './families/client.ts';
import { cost } from './families/cost.ts';
import { fairness } from './families/fairness.ts';
import { fleet } from './families/fleet.ts';
import { instance } from './families/instance.ts';
import { million } from './families/million.ts';
import { peers } from './families/peers.ts';
import { pools } from './families/pools.ts';
import { reads } from './families/reads.ts';
import { streams } from './families/streams.ts';
import { sweeping } from './families/sweep.ts';
import { throughput } from './families/throughput.ts';
import { waiting } from './families/waiting.ts';
import { type Stage, setStage } from './stage.ts';
import { machine, Table } from './table.ts';

const RESULTS = 'bench-results.json';

/** In the order in which they run. */
const FAMILIES: Readonly<Record<string, (stage: Stage, table: Table) => Promise<void>>> = {
  instance,
  throughput,
  batches,
  peers,
  client,
  pools,
  waiting,
  asks,
  reads,
  streams,
  sweep: sweeping,
  million,
  fairness,
  cost,
  fleet,
};

const { values, positionals } = parseArgs({
  options: { only: { type: 'string' }, against: { type: 'string' } },
  allowPositionals: true,
});
const { only, against } = values;

const start = performance.now();
const seconds = () => Math.round((performance.now() - start) / 1000);
const say = (line: string) => process.stderr.write(`${String(seconds()).padStart(3)} s  ${line}\n`);
const table = new Table(say);
const facts: Record<string, string | number> = { ...machine(), redisDurability: 'nothing on disk' };
if (against === undefined) {
  await families();
} else {
  table.begin('builds');
  await builds(table, say, [positionals[0] ?? '.', against]);
}
const all = { ...facts, seconds: seconds() };
table.write(RESULTS, all);
console.log(`${table.print()}\n`);
for (const [name, value] of Object.entries(all)) console.log(`${name}: ${value}`);
console.log(table.missed.length === 0 ? 'All targets are met.' : `Missed: ${table.missed.join('; ')}.`);
console.log(`The same as JSON: ${RESULTS}`);

async function families(): Promise<void> {
  const names = Object.keys(FAMILIES).filter((name) => only === undefined || name === only);
  if (names.length === 0) throw new Error(`there is no ${only}, but ${Object.keys(FAMILIES).join(', ')}`);
  const stage = await setStage(say);
  try {
    facts.redis = /redis_version:(\S+)/.exec(await stage.redis.info('server'))?.[1] ?? 'unknown';
    for (const name of names) {
      say(name);
      table.begin(name);
      await FAMILIES[name]?.(stage, table);
    }
  } finally {
    await stage.strike();
  }
}
