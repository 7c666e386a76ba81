/**
 * The notice for a person who has joined a queue: with the place, and the expected time of the turn.
 */
import type { ReserveResult } from '../../contract/reservations.ts';
import { resourceStates } from '../../engine/reservations/states.ts';
import type { DashboardDeps, Viewer } from '../env.ts';
import type { Done } from '../paths.ts';
import { expectedTurn } from '../resource/facts.ts';

/** Slots that are read of a pool. */
const SLOTS = 12;

/**
 * @param result with the status WAITING
 * @param isReady false if a slot is waited for that others do not get: nobody knows when there is one
 * @returns the notice; without what cannot be read
 */
export async function joined(
  { engine }: DashboardDeps,
  { credential }: Viewer,
  { resource, waiting }: ReserveResult,
  isReady: boolean,
): Promise<Done> {
  const done = { done: 'waiting', what: resource };
  if (waiting === undefined) return done;
  const { ahead, waitsFor } = waiting;
  const [state] = isReady ? await resourceStates(engine, credential, [waitsFor], { slots: SLOTS }).catch(() => []) : [];
  const atMs = state === undefined ? null : expectedTurn(state, ahead);
  return { ...done, count: String(ahead + 1), start: atMs === null ? undefined : new Date(atMs).toISOString() };
}
