/**
 * The steps in which definitions are changed (docs/specification.md#store-modes-and-start; lua/lib/redefine.lua): in
 * one, in the in-memory mode; else planned here, written to the database, and applied here.
 */
import type { Quota } from '../../domain/quota.ts';
import { asService, type Credential } from '../../domain/tenants.ts';

export interface Step {
  readonly phase: 'now' | 'plan' | 'replan' | 'apply' | 'reopen';
  /** The version of the definitions for which it was planned; null where it was not. */
  readonly version: number | null;
  /** Who the step is done for: what is planned and charged already, the service does by itself. */
  readonly as: (credential: Credential) => Credential;
}

const asAsked = (credential: Credential) => credential;
const byItself = ({ tenant }: Credential) => asService(tenant);

export const NOW: Step = { phase: 'now', version: null, as: asAsked };
export const PLAN: Step = { phase: 'plan', version: null, as: asAsked };
export const REPLAN: Step = { phase: 'replan', version: null, as: asAsked };
export const REOPEN: Step = { phase: 'reopen', version: null, as: byItself };
export const apply = (version: number): Step => ({ phase: 'apply', version, as: byItself });

/** A change that is planned or done. */
export interface Planned {
  /** Of the definitions, before it. */
  readonly version: number;
  /** Of the key that asked for it; '' none */
  readonly keyLabel: string;
  readonly quota: readonly Quota[];
}
