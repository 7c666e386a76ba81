/** `holdfast clean`: the janitor. Waits for a dirty slot, runs a command on it, and makes it ready; again and again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { HoldfastError } from '../../errors.ts';
import type { Hold, Holdfast } from '../../index.ts';
import type { ReserveOptions } from '../../types.ts';
import { type Call, type Command, KEEP_KEY_OPTION, TTL_OPTION, URL_OPTION } from '../command.ts';
import { connect } from '../connect.ts';
import { EXIT, ExitError, exitCodeOf, usageError } from '../exitCodes.ts';
import { codeOfSignal } from '../interrupts.ts';
import { matchOf } from '../match.ts';
import { messageOf } from '../messages.ts';
import { say } from '../output.ts';
import { notReadyText } from '../reason.ts';
import { graceOf, supervise } from '../run/supervise.ts';
import { commandOf, environmentOf } from '../run/variables.ts';
import { DEFAULT_TTL_MS } from './reserving.ts';

/** The time that one request waits. Then the next one takes its place. */
const WAIT_MS = 3_600_000;
/** Pause after an error that may pass, in ms. */
const PAUSE_MS = 1000;
/**
 * A signal to the whole group may end the command before holdfast has seen its own, in ms: without this pause, the
 * resource would count as broken.
 */
const SIGNAL_MS = 100;

const DETAILS = `\
Waits for a resource that is dirty, runs the command under a lease that is renewed, and begins again. A wish is a name,
of a resource or a pool, or labels: os=android, or os=android,site=berlin.

  exit code 0          the resource is ready for others
  any other            it is out of service; the exit code is the reason
  a signal to holdfast the command gets it, the resource stays dirty, and holdfast ends
  the lease is lost    the command is ended, the resource stays dirty, and somebody cleans it later

Only one command works on a resource at a time: start it several times to clean several resources at once. It goes on
when the service cannot be reached for a while. Give the command a limit of time: timeout 10m ./wipe.sh

The command gets the variables of \`holdfast run\`: the slot is HOLDFAST_SLOTS, or {slot} in an argument.`;

type Wish = { readonly names: string } | { readonly match: ReturnType<typeof matchOf> };

/** `os=android,site=berlin`, or a name. */
function wishOf(text: string): Wish {
  return text.includes('=') ? { match: matchOf([text], 'the match') } : { names: text };
}

/** Errors that the next request will get, too. */
const isFinal = (error: unknown): boolean =>
  !(error instanceof HoldfastError) ||
  [EXIT.usage, EXIT.badInput, EXIT.notAllowed].some((code) => code === exitCodeOf(error));

class Cleaner {
  readonly #call: Call;
  readonly #client: Holdfast;
  readonly #ttl: number;

  constructor(call: Call, client: Holdfast) {
    this.#call = call;
    this.#client = client;
    this.#ttl = call.args.duration('ttl') ?? DEFAULT_TTL_MS;
  }

  /** Cleans one resource, if there is one in time. */
  async cleanNext(wish: Wish): Promise<void> {
    const { signal } = this.#call;
    const options: ReserveOptions = { condition: 'dirty', note: 'cleaning', ttl: this.#ttl, wait: WAIT_MS, signal };
    const work = (hold: Hold) => this.#clean(hold);
    if ('match' in wish && wish.match !== undefined) await this.#client.using({ ...options, match: wish.match }, work);
    else if ('names' in wish) await this.#client.using(wish.names, options, work);
  }

  async #clean(hold: Hold): Promise<void> {
    const { args, interrupts, signal } = this.#call;
    signal.throwIfAborted();
    const name = hold.slots.join(', ');
    this.#say(`cleaning ${name}`);
    const lease = { signal: hold.signal, leftMs: () => hold.remainingMs, graceMs: graceOf(this.#ttl) };
    const env = environmentOf(hold, args.has('keep-key'));
    const { code, isLost } = await supervise(commandOf(args.command, hold), env, lease, interrupts);
    if (code !== EXIT.done) await sleep(SIGNAL_MS);
    const isStopped = interrupts.passed !== undefined || signal.aborted;
    if (isLost || isStopped) {
      this.#say(`${name} stays dirty: ${isStopped ? 'stopped' : 'the lease was lost'}`);
      return;
    }
    const wasHeld =
      code === EXIT.done
        ? await hold.release({ condition: 'ready' })
        : await hold.release({ condition: 'out', reason: `cleaning failed: exit code ${code}` });
    if (wasHeld)
      this.#say(code === EXIT.done ? await this.#outcomeOf(name) : `${name} is out of service: exit code ${code}`);
  }

  /** An operator may have taken it out of service meanwhile. */
  async #outcomeOf(name: string): Promise<string> {
    const state = await this.#client.check(name).catch(() => undefined);
    const unready = state === undefined ? '' : notReadyText(state);
    return unready === '' ? `${name} is clean` : `${name} was cleaned. ${unready}`;
  }

  #say(message: string): void {
    if (!this.#call.args.has('quiet')) say(message);
  }
}

export const clean: Command = {
  name: 'clean',
  summary: 'Cleans dirty resources by a command, one after the other',
  synopsis: 'clean [options] <wish> -- <command> [argument]…',
  details: DETAILS,
  positionals: { min: 1, max: 1 },
  takesCommand: true,
  options: [
    TTL_OPTION,
    KEEP_KEY_OPTION,
    { name: 'quiet', short: 'q', text: 'say nothing about what is cleaned' },
    URL_OPTION,
  ],
  examples: [
    "holdfast clean 'os=android' -- ./wipe.sh",
    "holdfast clean 'type=aws-account' -- timeout 20m ./janitor.sh {slot}",
    'holdfast clean phones -- ./wipe.sh',
  ],
  run: async (call) => {
    const { args, signal, interrupts } = call;
    const [text = ''] = args.positionals;
    if (text === '') throw usageError('clean what? A name, or labels such as os=android');
    const client = await connect(call, () => 'until it is stopped');
    const cleaner = new Cleaner(call, client);
    const wish = wishOf(text);
    while (!signal.aborted && interrupts.passed === undefined) {
      const startedAt = performance.now();
      try {
        await cleaner.cleanNext(wish);
      } catch (error) {
        if (signal.aborted || interrupts.passed !== undefined) break;
        if (isFinal(error) || error instanceof ExitError) throw error;
        const isTooLate = exitCodeOf(error) === EXIT.notHad && performance.now() - startedAt >= WAIT_MS;
        if (!isTooLate) say(`${messageOf(error)}; going on`);
        await sleep(PAUSE_MS, undefined, { signal }).catch(() => {});
      }
    }
    return interrupts.passed === undefined ? EXIT.done : codeOfSignal(interrupts.passed);
  },
};
