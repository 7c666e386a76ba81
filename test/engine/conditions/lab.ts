/**
 * A tenant with resources whose slots have conditions.
 */
import { afterAll, beforeAll } from 'vitest';
import type { Registration } from '../../../src/contract/definitions.ts';
import type { ReserveItem, ReserveResult, UnreserveItem } from '../../../src/contract/reservations.ts';
import type { Condition } from '../../../src/domain/conditions.ts';
import { NOW, register } from '../../../src/engine/definitions/changes.ts';
import { setCondition } from '../../../src/engine/reservations/conditions.ts';
import { type RunningEngine, startEngine } from '../../support/engine.ts';
import { check, reserve, unreserve } from '../../support/verbs.ts';

export type Asked = Partial<ReserveItem>;
type Defined = Partial<Registration> & { readonly name: string };
type Report = Pick<UnreserveItem, 'condition' | 'reason' | 'slots'>;

export class Lab {
  running!: RunningEngine;

  async register(...items: readonly Defined[]): Promise<void> {
    const { engine, credential } = this.running;
    const all = items.map((item) => ({ capacity: null, blocks: [], treePath: null, ...item }));
    await register(engine, credential, all, NOW);
  }

  /** Sets the condition of a slot, or of all slots of a pool. */
  async set(resource: string, condition: Condition, reason?: string): Promise<string> {
    const { engine, credential } = this.running;
    const { result } = await setCondition(engine, credential, [{ resource, condition, reason }]);
    return result[0]?.explanation ?? '';
  }

  async reserve(resource: string, requester: string, asked: Asked = {}): Promise<ReserveResult> {
    const [result] = await reserve(this.running.engine, this.running.credential, [{ resource, requester, ...asked }]);
    if (result === undefined) throw new Error('no result');
    return result;
  }

  /** Reserves, and returns the slot; or why that was not possible. */
  async take(resource: string, requester: string, asked: Asked = {}): Promise<string> {
    const { status, explanation, acquiredSlots } = await this.reserve(resource, requester, asked);
    return status === 'ACQUIRED' ? (acquiredSlots?.[resource] ?? resource) : explanation;
  }

  async release(held: UnreserveItem, report: Report = {}) {
    const { resource, requester, releaseToken } = held;
    const item = { resource, requester, releaseToken: releaseToken ?? undefined, ...report };
    const [result] = await unreserve(this.running.engine, this.running.credential, [item]);
    return result;
  }

  /** Reserves and releases. */
  async use(resource: string, requester: string, report: Report = {}, asked: Asked = {}): Promise<void> {
    const held = await this.reserve(resource, requester, asked);
    if (held.status !== 'ACQUIRED') throw new Error(held.explanation);
    await this.release(held, report);
  }

  /** Returns the condition of a slot, as `check` tells it, with its reason. */
  async conditionOf(resource: string): Promise<string> {
    const [result] = await check(this.running.engine, this.running.credential, [{ resource }]);
    const { condition = 'ready', conditionReason } = result ?? {};
    return conditionReason === undefined ? condition : `${condition}: ${conditionReason}`;
  }

  async conditionsOf(pool: string, capacity: number): Promise<string> {
    const all = Array.from({ length: capacity }, (_, i) => this.conditionOf(`${pool}_${i}`));
    return (await Promise.all(all)).join(' ');
  }
}

/** Starts a lab for the tests of a file. */
export function useLab(): Lab {
  const lab = new Lab();
  beforeAll(async () => {
    lab.running = await startEngine();
  });
  afterAll(() => lab.running.stop());
  return lab;
}
