/**
 * `npm run bench`: measures the service, its ceiling and its peers in the same run, in turn. Writes a table and
 * bench-results.json. Takes about nine minutes, on private servers. `-- --only <family>` measures one family. NODE_BIN
 * names another Node for the measured servers.
 */
import { parseArgs } from 'node:util';
import { asks } from './families/asks.ts';
import { batches } from './families/batches.ts';
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

const { only } = parseArgs({ options: { only: { type: 'string' } } }).values;
const names = Object.keys(FAMILIES).filter((name) => only === undefined || name === only);
if (names.length === 0) throw new Error(`there is no ${only}, but ${Object.keys(FAMILIES).join(', ')}`);

const start = performance.now();
const seconds = () => Math.round((performance.now() - start) / 1000);
const say = (line: string) => process.stderr.write(`${String(seconds()).padStart(3)} s  ${line}\n`);
const table = new Table(say);
const stage = await setStage(say);
const facts = { ...machine(), redis: await redisVersion(), redisDurability: 'nothing on disk' };
try {
  for (const name of names) {
    say(name);
    table.begin(name);
    await FAMILIES[name]?.(stage, table);
  }
} finally {
  await stage.strike();
}
const all = { ...facts, seconds: seconds() };
table.write(RESULTS, all);
console.log(`${table.print()}\n`);
for (const [name, value] of Object.entries(all)) console.log(`${name}: ${value}`);
console.log(table.missed.length === 0 ? 'All targets are met.' : `Missed: ${table.missed.join('; ')}.`);
console.log(`The same as JSON: ${RESULTS}`);

async function redisVersion(): Promise<string> {
  return /redis_version:(\S+)/.exec(await stage.redis.info('server'))?.[1] ?? 'unknown';
}
