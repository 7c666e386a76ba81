/**
 * `npm run chaos:planted`: plants one mistake after the other into a copy of this checkout, and runs a round of the
 * campaign, or another command, there. Prints by which checks each was found. docs/faults.md describes it.
 */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ROOT } from '../setups/service.ts';
import { MISTAKES, type Mistake, plantsOf } from './mistakes.ts';

const NOT_COPIED = new Set(['node_modules', '.git', 'dist', 'chaos-results']);
const ROUND = ['npm', 'run', '--silent', 'chaos', '--', '--minutes', '0.1', '--callers', '6'];
const SECONDS = 20;
/** Most mistakes show without a fault: one that breaks nothing is injected. */
const HARMLESS = 'script-flush';

const words = process.argv.slice(2);
const end = words.indexOf('--');
const names = end < 0 ? words : words.slice(0, end);
const command = end < 0 ? ROUND : words.slice(end + 1);
const unknown = names.filter((name) => !MISTAKES.some((one) => one.name === name));
if (unknown.length > 0 || command.length === 0) {
  console.log('npm run chaos:planted -- [<mistake> …] [-- <command>]\n\nMistakes:');
  for (const { name, what } of MISTAKES) console.log(`  ${name.padEnd(20)} ${what}`);
  process.exit(unknown.includes('--help') ? 0 : 2);
}

/** Copies the checkout without what is built or installed, and plants a mistake there. */
function plant(mistake: Mistake): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-planted-'));
  cpSync(ROOT, folder, { recursive: true, filter: (path) => !NOT_COPIED.has(basename(path)) });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const { file, find, replace } of plantsOf(mistake)) {
    const before = readFileSync(join(folder, file), 'utf8');
    if (before.split(find).length !== 2) throw new Error(`${mistake.name}: its text does not stand in ${file} once`);
    writeFileSync(
      join(folder, file),
      before.replace(find, () => replace),
    );
  }
  return folder;
}

/** Who found a mistake: checks of the campaign with their violations, or tests that failed. */
function foundBy({ status, stdout, stderr }: SpawnSyncReturns<string>): string {
  if (status === 0) return 'nothing';
  const table = /^check +looked at.*\n((?:.+\n)*)/m.exec(stdout)?.[1] ?? '';
  const checks = table.split('\n').flatMap((row) => {
    const [check, , , violations] = row.split(/ {2,}/);
    return Number(violations) > 0 ? `${check} (${violations})` : [];
  });
  const tests = [...`${stdout}${stderr}`.matchAll(/^ *FAIL +(.*)$/gm)].map(([, test = '']) => test);
  const troubles = stdout.split('\n').filter((line) => line.startsWith('failed: '));
  const found = [...checks, ...troubles, ...new Set(tests)];
  return found.length > 0 ? found.join('\n    ') : `exit code ${status}: ${(stdout + stderr).slice(-2000)}`;
}

const [program = '', ...args] = command;
const env = { ...process.env, NO_COLOR: '1' };
for (const mistake of MISTAKES.filter(({ name }) => names.length === 0 || names.includes(name))) {
  const folder = plant(mistake);
  try {
    const { setup = 'always', fault = HARMLESS, seconds = SECONDS } = mistake;
    const round = end < 0 ? ['--setup', setup, '--fault', fault, '--seconds', String(seconds)] : [];
    const result = spawnSync(program, [...args, ...round], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28, env });
    console.log(`${mistake.name}: ${mistake.what}\n  found by\n    ${foundBy(result)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
