/**
 * `npm run chaos`: runs rounds on each setup in turn, until the time is over, and prints a table. The exit code is 1 if
 * a promise was broken. CONTRIBUTING.md describes it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { now } from './clock.ts';
import { FAULTS } from './faults/all.ts';
import { shortest } from './report/shortest.ts';
import { show } from './report/show.ts';
import { table } from './report/table.ts';
import { type Round, runRound } from './round.ts';
import { SETUPS } from './setups/all.ts';
import { builtProgram, programOf } from './setups/program.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    /** Of each round. */
    seconds: { type: 'string', default: '60' },
    /** That of the first round, an integer. Each further round has the next one. */
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    setup: { type: 'string', multiple: true, default: [] },
    fault: { type: 'string', multiple: true, default: [] },
    /** The commit from and to which rolling updates go; without it there are none. */
    other: { type: 'string' },
    callers: { type: 'string', default: '12' },
    /** Where the histories with violations are written. */
    to: { type: 'string', default: 'chaos-results' },
  },
});

/** Those with one of the names; all if there are no names. */
function chosen<T>(all: readonly T[], names: readonly string[], nameOf: (one: T) => string): readonly T[] {
  const unknown = names.filter((name) => !all.some((one) => nameOf(one) === name));
  if (unknown.length > 0) throw new Error(`there is no ${unknown.join(', ')}, but ${all.map(nameOf).join(', ')}`);
  return names.length === 0 ? all : all.filter((one) => names.includes(nameOf(one)));
}

const setups = chosen(SETUPS, values.setup, ({ name }) => name);
const faults = chosen(FAULTS, values.fault, ({ kind }) => kind);
const startedAt = now();
const say = (line: string) =>
  process.stderr.write(`${String(Math.round((now() - startedAt) / 1000)).padStart(5)} s  ${line}\n`);

function report(round: Round, seed: string): void {
  if (round.violations.length === 0) return;
  mkdirSync(values.to, { recursive: true });
  const name = join(values.to, `${round.history.setup}-${seed}`);
  writeFileSync(`${name}.json`, JSON.stringify(round.history));
  // The first violation of each check is shown with the shortest history, which takes seconds to find.
  const shown = new Set<string>();
  const texts = round.violations.map((violation) => {
    const { check, what } = violation;
    if (shown.has(check)) return `${check}: ${what}`;
    shown.add(check);
    return show(shortest(round.history, violation), violation);
  });
  writeFileSync(`${name}.txt`, `${texts.join('\n\n')}\n`);
  say(`${round.violations.length} violations: ${name}.txt`);
}

const program = builtProgram();
const other = values.other === undefined ? undefined : programOf(values.other);
const rounds: Round[] = [];
const troubles: string[] = [];
const endAt = startedAt + Number(values.minutes) * 60_000;
for (let i = 0; now() < endAt; i++) {
  const setup = setups[i % setups.length];
  if (setup === undefined) break;
  const seed = String(Number(values.seed) + i);
  say(`${setup.name}, seed ${seed}`);
  const plan = {
    setup,
    seed,
    faults,
    program,
    other,
    callers: Number(values.callers),
    faultsMs: Number(values.seconds) * 1000,
  };
  try {
    const round = await runRound(plan, say);
    report(round, seed);
    rounds.push(round);
    troubles.push(...round.troubles.map((trouble) => `${setup.name}, seed ${seed}: ${trouble}`));
  } catch (error) {
    troubles.push(`${setup.name}, seed ${seed}: ${String(error)}`);
    say(String(error));
  }
}
console.log(table(rounds));
for (const trouble of troubles) console.log(`failed: ${trouble}`);
process.exit(troubles.length > 0 || rounds.some(({ violations }) => violations.length > 0) ? 1 : 0);
