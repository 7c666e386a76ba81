/**
 * Changes the condition of what a person names, and says what it was before.
 */

import type { Context } from 'hono';
import type { ConditionItem } from '../../contract/conditions.ts';
import { MAX_SLOTS_SET } from '../../domain/conditions.ts';
import { HoldfastError } from '../../domain/errors.ts';
import { setCondition as callSetCondition } from '../../operations/conditions.ts';
import type { DashboardDeps, DashboardEnv, Viewer } from '../env.ts';
import { check } from '../form.ts';
import { conditionsSchema } from '../formSchemas.ts';
import type { Care } from '../resource/careOf.ts';
import { Changed } from './undoable.ts';
import { fits, readUndo, writeUndo } from './undoCookie.ts';

/** @throws HoldfastError refused if one of them has no condition; forbidden, unavailable; LimitError */
export async function setCondition(
  deps: DashboardDeps,
  { credential }: Viewer,
  items: readonly ConditionItem[],
): Promise<void> {
  const Conditions = conditionsSchema(deps);
  const { batch } = deps.sizes;
  for (let i = 0; i < items.length; i += batch) {
    const { result } = await callSetCondition(deps, credential, check(Conditions, items.slice(i, i + batch)));
    const failed = result.find(({ status }) => status === 'NOT_VALID');
    if (failed !== undefined) throw new HoldfastError('refused', failed.explanation.replace(/^NOT_VALID: /, ''));
  }
}

/** The condition before of all slots that a name means; null: they differed, and cannot be put back together */
export function before({ name, slots, capacity, notReady }: Care): Changed | null {
  if (capacity > MAX_SLOTS_SET && slots.length > 1) return null;
  const [first] = notReady;
  if (first === undefined) return { resource: name, was: 'ready' };
  const isAlike = notReady.every(({ condition, reason }) => condition === first.condition && reason === first.reason);
  if (notReady.length < slots.length || !isAlike) return null;
  return { resource: name, was: first.condition, ...(first.reason !== undefined && { reason: first.reason }) };
}

/** Taking back a change of condition: a cookie remembers what a resource was before (undoCookie.ts). */
const COOKIE = 'condition';
const LASTS_MS = 60_000;

/** The last change of the browser; null: none that can be taken back */
export const lastChange = (c: Context<DashboardEnv>, publicUrl: string | undefined): Changed | null =>
  readUndo(c, publicUrl, COOKIE, Changed);

/** @param changed null: the last change cannot be taken back, and neither can the one before */
export const rememberChange = (
  c: Context<DashboardEnv>,
  publicUrl: string | undefined,
  changed: Changed | null,
): void => writeUndo(c, publicUrl, COOKIE, fits(changed) ? changed : null, LASTS_MS);
