/**
 * One round of a campaign: starts a service, loads it, breaks it again and again, lets it come to rest, and checks what
 * was recorded.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Violation } from './check.ts';
import { CHECKS } from './checks/all.ts';
import { BEGUN_WITHIN_MS } from './checks/bookings.ts';
import { untilServed, watchFailovers } from './failovers.ts';
import type { Fault } from './faults/make.ts';
import type { FaultSeen, History } from './history.ts';
import { readEnd } from './load/endState.ts';
import { prepare, startLoad } from './load/load.ts';
import { Recorder } from './load/recorder.ts';
import { createRandom, deck, now, type Random } from './random.ts';
import type { Program, Setup, System } from './system.ts';

/** Load without faults at the beginning and at the end, so that the first and the last fault are judged as others. */
const CALM_MS = 2000;
/** Even a fault without a promise must be over by then. */
const NEVER_MS = 120_000;
/** Chance that the next fault comes before all is served again. */
const HASTE = 0.15;

/** The assumed effect of a fault that could not be injected as it should be. */
const OF_UNKNOWN_EFFECT = { targets: [], loses: 'everything', servedWithinMs: NEVER_MS, clockStepMs: 0 } as const;

export interface Plan {
  readonly setup: Setup;
  readonly seed: string;
  /** Time for which faults are injected. */
  readonly faultsMs: number;
  readonly callers: number;
  readonly faults: readonly Fault[];
  /** The build of the instances; by default the source. */
  readonly program?: Program | undefined;
  /** Another build, for rolling updates. */
  readonly other?: Program | undefined;
}

export interface Round {
  readonly history: History;
  readonly checks: readonly { readonly name: string; readonly looked: number; readonly undecided: number }[];
  readonly violations: readonly Violation[];
  /** Faults that could not be injected. */
  readonly troubles: readonly string[];
}

/**
 * Runs a round.
 * @param say called with a line of text for each fault
 * @throws Error if the service does not start, or does not serve any more
 */
export async function runRound(plan: Plan, say: (line: string) => void): Promise<Round> {
  const random = createRandom(plan.seed);
  const system = await plan.setup.start(random.fork('system'), plan.program, plan.other);
  const recorder = new Recorder(plan.seed, plan.setup.name);
  try {
    await prepare(system);
    const load = startLoad(system, random.fork('load'), recorder, { callers: plan.callers });
    const endWatch = watchFailovers(system, recorder);
    const troubles: string[] = [];
    try {
      await pause(CALM_MS);
      await injectFaults(plan, system, random.fork('faults'), recorder, { troubles, say });
      await pause(CALM_MS);
    } finally {
      await load.stop();
      await endWatch();
    }
    // Who reads a tenant loads it: before, a worker must have begun what is booked there.
    if (system.traits.hasDatabase) await pause(BEGUN_WITHIN_MS + CALM_MS);
    const history = recorder.history(await readEnd(system));
    const checks = CHECKS.map((check) => ({ name: check.name, undecided: 0, ...check.run(history) }));
    return { history, checks, troubles, violations: checks.flatMap(({ violations }) => violations) };
  } finally {
    recorder.stop();
    await system.stop();
  }
}

interface Notes {
  readonly troubles: string[];
  readonly say: (line: string) => void;
}

async function injectFaults(
  { faults, faultsMs }: Plan,
  system: System,
  random: Random,
  recorder: Recorder,
  { troubles, say }: Notes,
): Promise<void> {
  const applicable = faults.filter((fault) => fault.appliesTo(system.traits));
  if (applicable.length === 0) return pause(faultsMs);
  const next = deck(applicable, random);
  for (const endAt = now() + faultsMs; now() < endAt; ) {
    const fault = next();
    const startedAt = now();
    const seen = await fault.inject(system, random).catch((error: unknown) => {
      const detail = `went wrong: ${error instanceof Error ? error.message : String(error)}`;
      troubles.push(`${fault.kind} ${detail}`);
      return { ...OF_UNKNOWN_EFFECT, detail };
    });
    const one: FaultSeen = { kind: fault.kind, startedAt, healedAt: now(), ...seen };
    recorder.fault(one);
    const took = `${((one.healedAt - startedAt) / 1000).toFixed(1)} s`;
    const servedMs = random.chance(HASTE) ? null : await untilServed(system, NEVER_MS);
    say(`${fault.kind}, ${took}: ${one.detail}${servedMs === null ? '' : `; served ${servedMs} ms later`}`);
    await pause(random.between(200, 2500));
  }
}
