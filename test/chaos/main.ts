/**
 * `npm run chaos`: runs rounds on each setup in turn, until the time is over, and prints a table. The exit code is 1 if
 * a promise was broken. docs/faults.md describes it. `setups` starts a service of real processes, `load` calls it,
 * `faults` break it, and `checks` go through what was recorded, each a pure function with tests of its own. `round.ts`
 * ties them together.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from './options.ts';
import { now } from './random.ts';
import { show } from './report/show.ts';
import { shortest, table } from './report/table.ts';
import { type Round, runRound } from './round.ts';
import { builtProgram, programOf } from './setups/service.ts';

const options = readOptions(process.argv.slice(2));
if ('text' in options) {
  console.log(options.text);
  process.exit(options.exitCode);
}
const { setups, faults, callers, to } = options;
const startedAt = now();
const say = (line: string) =>
  process.stderr.write(`${String(Math.round((now() - startedAt) / 1000)).padStart(5)} s  ${line}\n`);

function report(round: Round, seed: string): void {
  if (round.violations.length === 0) return;
  mkdirSync(to, { recursive: true });
  const name = join(to, `${round.history.setup}-${seed}`);
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
const other = options.other === undefined ? undefined : programOf(options.other);
const rounds: Round[] = [];
const troubles: string[] = [];
const endAt = startedAt + options.minutes * 60_000;
for (let i = 0; now() < endAt; i++) {
  const setup = setups[i % setups.length];
  if (setup === undefined) break;
  const seed = String(options.seed + i);
  say(`${setup.name}, seed ${seed}`);
  const plan = { setup, seed, faults, program, other, callers, faultsMs: options.seconds * 1000 };
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
