/**
 * The place and the expected turn of a person who joins a queue: before they do, and for the notice afterwards.
 */
import type { ReserveItem, ReserveResult } from '../../contract/reservations.ts';
import { dryReserve } from '../../engine/reservations/dryRun.ts';
import { resourceStates } from '../../engine/reservations/states.ts';
import type { DashboardDeps, Viewer } from '../env.ts';
import type { Done } from '../paths.ts';
import { expectedTurn } from '../resource/facts.ts';
import type { Ticket } from '../timeline/expected.ts';

/** Slots that are read of a pool. */
const SLOTS = 12;

export interface Turn {
  /** From 1. */
  readonly place: number;
  /** When it is expected, in ISO 8601; null: nobody knows */
  readonly at: string | null;
}

/**
 * Returns the turn that somebody would have who joined now.
 * @param item what they would ask for, with `waitSeconds`
 * @returns null: they would not wait
 * @throws HoldfastError unauthenticated, forbidden, unavailable, refused; LimitError
 */
export async function turnIfJoined(deps: DashboardDeps, viewer: Viewer, item: ReserveItem): Promise<Turn | null> {
  const [result] = await dryReserve(deps.engine, viewer.credential, [item], 0);
  const { condition = 'ready', ttlSeconds } = item;
  const own = { ttlMs: ttlSeconds === undefined ? null : ttlSeconds * 1000, count: 1 };
  return result === undefined ? null : turnOf(deps, viewer, result, condition === 'ready', own);
}

/**
 * @param result with the status WAITING
 * @param isReady false if a slot is waited for that others do not get: nobody knows when there is one
 * @returns the notice; without what cannot be read
 */
export async function joined(
  deps: DashboardDeps,
  viewer: Viewer,
  result: ReserveResult,
  isReady: boolean,
): Promise<Done> {
  const turn = await turnOf(deps, viewer, result, isReady);
  const done = { done: 'waiting', what: result.resource };
  return turn === null ? done : { ...done, count: String(turn.place), start: turn.at ?? undefined };
}

/** @param own the request, if it is not in the queue yet */
async function turnOf(
  { engine }: DashboardDeps,
  { credential }: Viewer,
  { waiting }: ReserveResult,
  isReady: boolean,
  own?: Ticket,
): Promise<Turn | null> {
  if (waiting === undefined) return null;
  const { ahead, waitsFor } = waiting;
  const [state] = isReady ? await resourceStates(engine, credential, [waitsFor], { slots: SLOTS }).catch(() => []) : [];
  const atMs = state === undefined ? null : expectedTurn(state, ahead, own);
  return { place: ahead + 1, at: atMs === null ? null : new Date(atMs).toISOString() };
}
