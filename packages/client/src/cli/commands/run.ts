/** `holdfast run`: runs a command while resources are held. */
import { HoldfastError } from '../../errors.ts';
import type { Hold } from '../../index.ts';
import { type Call, type Command, KEEP_KEY_OPTION, TTL_OPTION } from '../command.ts';
import { connect } from '../connect.ts';
import { EXIT, ExitError, exitCodeOf } from '../exitCodes.ts';
import { messageOf } from '../messages.ts';
import { left } from '../moments.ts';
import { say } from '../output.ts';
import { graceOf, type Outcome, supervise } from '../run/supervise.ts';
import { commandOf, environmentOf } from '../run/variables.ts';
import { DEFAULT_TTL_MS, RESERVING_OPTIONS, targetOf, wishOf } from './reserving.ts';
import { Wait } from './waits.ts';

/** Longest time for which the end may be delayed by a release, while the service cannot be reached. */
const RELEASE_MS = 10_000;
/** Also if less than this is left of the lease, a release may take this long, in ms. */
const MIN_RELEASE_MS = 1000;

const DETAILS = `\
Reserves the resources, waiting for them if asked, and runs the command. The lease is renewed while the command
runs, and released however it ends. Several resources are taken together, or not at all.

The exit code is that of the command. If the lease cannot be renewed, the command gets SIGTERM, then SIGKILL before
the lease ends, and the exit code is 76. Signals are passed on. While it waits, a signal ends the wait.

The command gets these variables:
  HOLDFAST_RESOURCE       the resource; several: a line for each
  HOLDFAST_SLOTS          the slots that it holds, a line for each
  HOLDFAST_ATTR_<KEY>     each of their attributes, a line for each slot that has it
  HOLDFAST_FENCING_TOKEN  the fencing token; of several, the highest
  HOLDFAST_REQUESTER      who holds them
  HOLDFAST_RUN            the same: a \`run\` or \`reserve\` inside the command takes a new requester then

{slot} in an argument of the command stands for the slot. If it holds several, there is such an argument for each.

The command does not get HOLDFAST_KEY, unless you say --keep-key. A command that runs holdfast itself needs it.`;

export const run: Command = {
  name: 'run',
  summary: 'Runs a command while it holds resources',
  synopsis: 'run [options] <resource>… -- <command> [argument]…',
  details: DETAILS,
  positionals: { min: 0, max: 500 },
  takesCommand: true,
  options: [
    TTL_OPTION,
    ...RESERVING_OPTIONS,
    KEEP_KEY_OPTION,
    { name: 'quiet', short: 'q', text: 'say nothing about the wait, nor if it could not be had (75)' },
  ],
  examples: [
    'holdfast run staging -- ./deploy.sh',
    'holdfast run --wait 10m --note "$CI_JOB_URL" staging database -- make integration-test',
    'holdfast run --wait 1h --count 2 phones -- ./test.sh {slot}',
    'holdfast run --wait 1h --match os=android -- ./test.sh',
    'holdfast run --wait 1h --match os=android,site!=berlin --quantity 2 licence -- ./test.sh',
    'holdfast run --shared reference-data -- ./report.sh',
  ],
  run: (call) => runHolding(call, { toTree: false, onHeld: () => {} }),
};

/** How `run` differs between the command line and a step of a CI system. */
export interface Way {
  /** Whether signals also go to the descendants of the command. A CI system signals only holdfast itself. */
  readonly toTree: boolean;
  /** Called before the command starts. */
  onHeld(hold: Hold): void;
}

/**
 * Runs a command while it holds what the arguments name.
 * @returns the exit code
 * @throws ExitError of wrong use; HoldfastError if it could not be had
 */
export async function runHolding(call: Call, way: Way): Promise<number> {
  const wish = wishOf(call.args);
  const ttl = call.args.duration('ttl') ?? DEFAULT_TTL_MS;
  let isHeld = false;
  const client = await connect(call, () => (isHeld ? 'while the lease lasts' : undefined));
  const wait = new Wait(wish, call);
  const onEndFixed = (end: Date) =>
    say(`the lease ends in ${left(end.toISOString())}: somebody has booked it from ${end.toISOString()}`);
  const all = { ...wish.options, ttl, signal: call.signal, onWaiting: wait.onWaiting, onEndFixed };
  let outcome: Outcome | undefined;
  let ended = (_leftMs: number) => {};
  const commandEnded = new Promise<number>((resolve) => {
    ended = resolve;
  });
  const work = async (held: Hold) => {
    isHeld = true;
    wait.stop();
    call.signal.throwIfAborted();
    const lease = { signal: held.signal, leftMs: () => held.remainingMs, graceMs: graceOf(ttl) };
    let leftMs = RELEASE_MS;
    try {
      const env = environmentOf(held, call.args.has('keep-key'));
      way.onHeld(held);
      outcome = await supervise(commandOf(call.args.command, held), env, lease, call.interrupts, way.toTree);
      leftMs = Math.min(RELEASE_MS, Math.max(held.remainingMs, MIN_RELEASE_MS));
      if (outcome.isLost && held.signal.aborted) leftMs = 0;
    } finally {
      ended(leftMs);
    }
  };
  const used = client.using(targetOf(wish, all), all, work);
  try {
    await Promise.race([used, commandEnded.then((leftMs) => tooLate(leftMs, call.signal))]);
  } catch (error) {
    const isQuiet = call.args.has('quiet') && exitCodeOf(error) === EXIT.notHad;
    if (outcome === undefined && isQuiet) return EXIT.notHad;
    if (outcome === undefined) throw await wait.explain(client, error);
    if (!outcome.isLost) say(messageOf(error));
    if (error instanceof HoldfastError && error.code === 'LEASE_LOST') return EXIT.lost;
  } finally {
    wait.stop();
  }
  return outcome === undefined || outcome.isLost ? EXIT.lost : outcome.code;
}

/**
 * Ends the attempts to release.
 * @param leftMs how long they may take: not at all, if the command was killed since the lease was lost
 * @throws ExitError
 */
async function tooLate(leftMs: number, signal: AbortSignal): Promise<never> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, leftMs).unref();
    signal.addEventListener('abort', () => resolve());
  });
  throw new ExitError(EXIT.unavailable, 'the service cannot be reached to release: the lease ends by itself');
}
