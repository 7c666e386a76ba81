/**
 * Keeps the command of `run` within its lease. SIGTERM follows when the lease is in danger, SIGKILL before it can have
 * ended.
 */
import type { Interrupts } from '../interrupts.ts';
import { messageOf } from '../messages.ts';
import { say } from '../output.ts';
import { Child } from './child.ts';

/** The longest time between SIGTERM and SIGKILL, in ms. With short leases it is a sixth of the lease. */
export const graceOf = (ttlMs: number): number => Math.min(10_000, ttlMs / 6);

export interface Lease {
  /** Aborts before the lease can have ended. Its reason says why. */
  readonly signal: AbortSignal;
  /** Time in ms until `signal` aborts if it is not renewed. Infinity: it never ends. */
  leftMs(): number;
  /** Time between SIGTERM and SIGKILL, in ms. */
  readonly graceMs: number;
}

export interface Outcome {
  /** The exit code of the command. */
  readonly code: number;
  /** True if it was ended since the lease was in danger or lost. */
  readonly isLost: boolean;
}

/** Watches the lease until the returned function is called. */
function watch(lease: Lease, child: Child, lost: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isAsked = false;
  const look = () => {
    clearTimeout(timer);
    if (lease.signal.aborted) return kill();
    const left = lease.leftMs() - lease.graceMs;
    if (left > 0 || isAsked) {
      timer = setTimeout(look, Math.min(left > 0 ? left : lease.leftMs(), 60_000));
      return;
    }
    isAsked = true;
    lost();
    say('the lease cannot be renewed: sending SIGTERM to the command');
    child.terminate();
    look();
  };
  const kill = () => {
    lost();
    say(`${reasonOf(lease.signal)}: sending SIGKILL to the command`);
    child.kill();
  };
  lease.signal.addEventListener('abort', look);
  look();
  return () => {
    clearTimeout(timer);
    lease.signal.removeEventListener('abort', look);
  };
}

const reasonOf = ({ reason }: AbortSignal) => (reason instanceof Error ? messageOf(reason) : 'the lease was lost');

/**
 * Runs a command while a lease lasts. Signals go to the command.
 * @param toTree whether they go to its descendants, too; then it has ended when those have that got one
 */
export async function supervise(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  lease: Lease,
  interrupts: Interrupts,
  toTree = false,
): Promise<Outcome> {
  let child: Child | undefined;
  let early: NodeJS.Signals | undefined;
  const pass = (signal: NodeJS.Signals) => {
    if (child === undefined) early = signal;
    else if (toTree) child.passToTree(signal);
    else void child.pass(signal);
  };
  return interrupts.passingTo(pass, async () => {
    child = await Child.start(command, env);
    if (early !== undefined) pass(early);
    return untilEnded(child, lease);
  });
}

async function untilEnded(child: Child, lease: Lease): Promise<Outcome> {
  let isLost = false;
  const stop = watch(lease, child, () => {
    isLost = true;
  });
  const code = await child.ended;
  await child.descendantsEnded(lease.signal);
  stop();
  child.stopGuard();
  return { code, isLost };
}
