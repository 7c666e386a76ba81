/**
 * Usage of a resource, step by step (docs/specification.md#usage-of-resources). Costs one read for each 1,000
 * reservations that it looks at.
 */
import type { ResourceUsage, UsageFigures, UsageQuery, UsageStep } from '../contract/history.ts';
import { HoldfastError } from '../domain/errors.ts';
import type { Charged } from '../domain/quota.ts';
import type { Credential } from '../domain/tenants.ts';
import {
  type Frame,
  type HourOfRefusals,
  type PastFigures,
  shareOf,
  stepOf,
  stepsOf,
  withHeld,
} from '../domain/usage.ts';
import { capacityOf, heldOf } from '../engine/reservations/active.ts';
import { outSince as readOutSince } from '../engine/reservations/outSince.ts';
import { charged, countUse, debitLooked } from './charging.ts';
import type { OperationDeps } from './deps.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const STEP_MS: Readonly<Record<UsageStep, number>> = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS };
const DEFAULT_SPAN_MS = 7 * DAY_MS;
const MAX_STEPS = 400;

export type UsageDeps = Pick<OperationDeps, 'engine' | 'history'>;
export type UsageOfResource = Pick<UsageQuery, 'resource' | 'from' | 'to' | 'step'>;

/**
 * @returns the figures and the remaining quota
 * @throws HoldfastError unauthenticated, forbidden, unavailable; refused if the span or the step does not fit;
 * LimitError
 */
export const readUsage = (
  deps: UsageDeps & Pick<OperationDeps, 'activity' | 'reads' | 'listings'>,
  credential: Credential,
  query: UsageOfResource,
): Promise<Charged<ResourceUsage>> => {
  const read = async () => {
    const close = deps.listings.begin(credential.tenant);
    try {
      const { usage, looked } = await measureUsage(deps, credential.tenant, query);
      await debitLooked(deps.reads, credential, looked);
      return usage;
    } finally {
      close();
    }
  };
  return countUse(deps, credential, charged(deps.reads.charge(credential, 'read'), read));
};

/**
 * Works out the figures without charging them.
 * @returns the figures, and the number of reservations that were looked at
 * @throws HoldfastError unavailable; refused if the span or the step does not fit
 */
export async function measureUsage(
  { engine: { redis }, history }: UsageDeps,
  tenant: string,
  { resource, from, to, step }: UsageOfResource,
): Promise<{ readonly usage: ResourceUsage; readonly looked: number }> {
  const now = Date.now();
  const frame = frameOf({ from, to, step }, now);
  const capacity = await capacityOf(redis, tenant, resource);
  const [past, { held, looked }, outSince, refusals] = await Promise.all([
    history.usage(tenant, resource, frame),
    heldOf(redis, tenant, resource, capacity),
    readOutSince(redis, tenant, resource, capacity),
    history.refusals(tenant, resource, frame.fromMs, frame.toMs),
  ]);
  const { total, steps } = withHeld(past, held, frame, now, outSince);
  const figures = (one: PastFigures, span: Omit<Frame, 'stepMs'>) => toFigures(one, span, capacity, refusals);
  return {
    usage: {
      resource,
      from: timeOf(frame.fromMs),
      to: timeOf(frame.toMs),
      step,
      total: figures(total, frame),
      steps: steps.map((one, i) => ({ from: timeOf(stepOf(frame, i).fromMs), ...figures(one, stepOf(frame, i)) })),
    },
    looked: past.looked + looked,
  };
}

/** @throws HoldfastError refused if the span is empty or has too many steps */
function frameOf({ from, to, step }: Omit<UsageOfResource, 'resource'>, nowMs: number): Frame {
  const toMs = Math.min(to?.getTime() ?? nowMs, nowMs);
  const startMs = from?.getTime() ?? toMs - DEFAULT_SPAN_MS;
  // Refusals are counted by the hour.
  const frame = { fromMs: Math.floor(startMs / HOUR_MS) * HOUR_MS, toMs, stepMs: STEP_MS[step] };
  if (startMs >= toMs) throw new HoldfastError('refused', 'from must be before to, and before now.');
  if (stepsOf(frame) > MAX_STEPS)
    throw new HoldfastError('refused', `from, to and step must come to at most ${MAX_STEPS} steps.`);
  return frame;
}

const toFigures = (
  { heldMs, outMs, reservations, ...means }: PastFigures,
  { fromMs, toMs }: Omit<Frame, 'stepMs'>,
  capacity: number,
  refusals: readonly HourOfRefusals[],
): UsageFigures => ({
  share: shareOf(heldMs, capacity, toMs - fromMs, outMs),
  outOfServiceShare: shareOf(outMs, capacity, toMs - fromMs),
  reservations,
  meanHeldSeconds: secondsOf(means.meanHeldMs),
  p95HeldSeconds: secondsOf(means.p95HeldMs),
  meanWaitedSeconds: secondsOf(means.meanWaitedMs),
  p95WaitedSeconds: secondsOf(means.p95WaitedMs),
  refusals: refusals.reduce((sum, { startMs, count }) => (startMs >= fromMs && startMs < toMs ? sum + count : sum), 0),
});

const secondsOf = (ms: number | null): number | null => (ms === null ? null : ms / 1000);

const timeOf = (ms: number): string => new Date(ms).toISOString();
