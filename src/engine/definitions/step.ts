/**
 * The steps of a change of definitions (docs/specification.md#store-modes-and-start; lua/definitions/changes.lua).
 * Without a database, NOW does it in one. With one, PLAN and apply() enclose the write to the database.
 */
import type { Quota } from '../../domain/quota.ts';
import { asService, type Credential } from '../../domain/tenants.ts';

export interface Step {
  readonly phase: 'now' | 'plan' | 'replan' | 'apply' | 'reopen';
  /** The version of the definitions that the change was planned for; null if it was not planned. */
  readonly version: number | null;
  /**
   * Which credential runs the step. Later steps run as the service: the caller was authenticated and charged in the
   * first.
   */
  readonly as: (credential: Credential) => Credential;
}

const asCaller = (credential: Credential) => credential;
const byService = ({ tenant }: Credential) => asService(tenant);

export const NOW: Step = { phase: 'now', version: null, as: asCaller };
export const PLAN: Step = { phase: 'plan', version: null, as: asCaller };
export const REPLAN: Step = { phase: 'replan', version: null, as: asCaller };
export const REOPEN: Step = { phase: 'reopen', version: null, as: byService };
export const apply = (version: number): Step => ({ phase: 'apply', version, as: byService });

/** A change that is planned or applied. */
export interface Planned {
  /** The version of the definitions before the change. */
  readonly version: number;
  /** The label of the caller's key; '' for none. */
  readonly keyLabel: string;
  readonly quota: readonly Quota[];
}
