/** `holdfast apply`: makes the registered resources as a file says. */
import { HoldfastError } from '../../errors.ts';
import type { Holdfast } from '../../index.ts';
import type { CheckResult } from '../../types.ts';
import type { Arguments } from '../arguments.ts';
import { type Call, type Command, JSON_OPTION, URL_OPTION } from '../command.ts';
import { confirm, mayAsk } from '../confirm.ts';
import { connect } from '../connect.ts';
import { EXIT, usageError } from '../exitCodes.ts';
import { carryOut } from '../lab/carryOut.ts';
import { badFile, readLab } from '../lab/file.ts';
import { type Change, changesOf, deletionsOf, type Kept, type Plan } from '../lab/plan.ts';
import { plain, print, printJson, say } from '../output.ts';

/** Longer than a minute: at a limit of writes a minute, it goes on in the next one. In ms. */
const RETRIES_MS = 90_000;
const MAX_DELETE = 10;

const DETAILS = `\
The file is a list of resources, in YAML or JSON, as for \`register\`. A field that the file leaves out gets its default,
also labels and group. Attributes that it leaves out stay, and are never printed. The condition of a slot is not in the
file. A second run changes nothing.

It prints a plan (+ new, ~ changed, - deleted), then carries it out: ancestors first, in batches. At the first refusal
it stops and says how much was done (65). Run it again to go on.

--prune deletes registered names that begin with the prefix and are not in the file, last, and asks first. Names that
are held, or that something else needs, stay and are named: the exit code is 75. With --dry-run, the exit code is 1 if
there are changes. The key needs the permission full; a management token needs the scope definitions.`;

interface Options {
  readonly file: string;
  /** Undefined: nothing is deleted. */
  readonly prefix: string | undefined;
  readonly maxDelete: number;
  readonly isDry: boolean;
}

/** @throws ExitError of wrong use */
export function optionsOf(args: Arguments): Options {
  const file = args.text('file');
  const [prefix, isPruned] = [args.text('prefix'), args.has('prune')];
  if (file === undefined) throw usageError('apply needs a file: holdfast apply -f <file>');
  if (isPruned && !prefix) throw usageError('--prune needs a --prefix that is not empty, such as --prefix lab/');
  if (!isPruned && (prefix !== undefined || args.has('max-delete')))
    throw usageError('--prefix and --max-delete are for --prune');
  return {
    file,
    prefix: isPruned ? prefix : undefined,
    maxDelete: args.integer('max-delete') ?? MAX_DELETE,
    isDry: args.has('dry-run'),
  };
}

/** `ann holds it; bob waits` */
function whoText({ reason }: CheckResult): string[] {
  const holders = [...new Set(reason?.holders.map(({ requester }) => `${requester} holds it`))];
  const waiting = [...new Set(reason?.next.map(({ requester }) => `${requester} waits`))];
  return [...holders, ...waiting];
}

/** Deletions with those who hold or wait for the resources. A management token may not read that. */
async function withPeople(client: Holdfast, deletions: readonly Change[], signal: AbortSignal): Promise<Change[]> {
  const names = deletions.map(({ name }) => name);
  const checks = await client.check(names, { signal }).catch((error: unknown) => {
    if (error instanceof HoldfastError && error.code === 'FORBIDDEN') return [];
    throw error;
  });
  return deletions.map((deletion, i) => {
    const checked = checks[i];
    return { ...deletion, details: checked === undefined ? [] : whoText(checked) };
  });
}

async function planOf(client: Holdfast, { file, prefix, maxDelete }: Options, signal: AbortSignal): Promise<Plan> {
  const items = readLab(file);
  const registered = await client.definitions({ signal });
  const plan = changesOf(items, registered);
  if (prefix === undefined) return { ...plan, kept: [] };
  const { deletions, kept } = deletionsOf(items, registered, prefix);
  if (deletions.length > maxDelete)
    throw badFile(
      `it would delete ${deletions.length} resources, more than --max-delete ${maxDelete}: nothing was done`,
    );
  return { ...plan, changes: [...plan.changes, ...(await withPeople(client, deletions, signal))], kept };
}

const SIGNS = { add: '+', change: '~', delete: '-' } as const;

const lineOf = (sign: string, name: string, details: readonly string[]) =>
  plain([`${sign} ${name}`, details.join(', ')].filter((part) => part !== '').join('  '));

function show({ changes, kept }: Plan, isJson: boolean): void {
  if (isJson)
    printJson([
      ...changes.map(({ action, name, details }) => ({ action, name, details })),
      ...kept.map(({ name, why }) => ({ action: 'keep', name, details: [why] })),
    ]);
  else {
    const lines = changes.map(({ action, name, details }) => lineOf(SIGNS[action], name, details));
    lines.push(...kept.map(({ name, why }) => lineOf('=', name, [`stays: ${why}`])));
    if (lines.length > 0) print(lines.join('\n'));
  }
}

const countOf = (changes: readonly Change[], wanted: Change['action']) =>
  changes.filter(({ action }) => action === wanted).length;

function summary({ changes, unchanged }: Plan): string {
  const counts = [countOf(changes, 'add'), countOf(changes, 'change'), countOf(changes, 'delete'), unchanged];
  const words = ['to add', 'to change', 'to delete', 'unchanged'];
  return words.map((word, i) => `${counts[i]} ${word}`).join(', ');
}

async function applyPlan(call: Call, client: Holdfast, plan: Plan): Promise<number> {
  const deletions = countOf(plan.changes, 'delete');
  const those = deletions === 1 ? 'this resource' : `these ${deletions} resources`;
  if (deletions > 0) await confirm(call, `Delete ${those}, and make the other changes?`);
  const done = await carryOut(client, plan.changes, call.signal);
  const kept: Kept[] = [...plan.kept, ...done.kept];
  for (const { name, why } of done.kept) say(`${name} stays: ${why}`);
  say(`${done.registered} registered, ${done.deleted.length} deleted, ${plan.unchanged} unchanged`);
  return kept.length === 0 ? EXIT.done : EXIT.notHad;
}

export const apply: Command = {
  name: 'apply',
  summary: 'Makes the registered resources as a file says, and shows the changes first',
  synopsis: 'apply [options] -f <file>',
  details: DETAILS,
  positionals: { min: 0, max: 0 },
  options: [
    { name: 'file', short: 'f', value: '<file>', text: 'YAML or JSON; - is stdin' },
    { name: 'dry-run', text: 'only print the plan' },
    { name: 'prune', text: 'delete resources with the prefix that the file does not have' },
    { name: 'prefix', value: '<text>', text: 'which names --prune may delete: lab/' },
    { name: 'max-delete', value: '<n>', text: 'refuse to delete more than this. Default: 10' },
    { name: 'yes', text: 'do not ask before deleting; needed without a terminal' },
    JSON_OPTION,
    URL_OPTION,
  ],
  examples: [
    'holdfast apply -f lab.yaml --dry-run',
    'holdfast apply -f lab.yaml',
    'holdfast apply -f lab.yaml --prune --prefix lab/ --yes',
  ],
  run: async (call) => {
    const { args, signal } = call;
    const options = optionsOf(args);
    if (options.prefix !== undefined && !options.isDry) mayAsk(call, 'apply --prune');
    const client = await connect(call, undefined, RETRIES_MS);
    const plan = await planOf(client, options, signal);
    show(plan, args.has('json'));
    if (options.isDry) say(summary(plan));
    if (options.isDry) return plan.changes.length === 0 ? EXIT.done : EXIT.no;
    return applyPlan(call, client, plan);
  },
};
