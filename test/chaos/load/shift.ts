/** State that all callers of a round share. */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import type { System, Tenant } from '../system.ts';
import type { Recorder } from './recorder.ts';

export class Shift {
  readonly system: System;
  readonly recorder: Recorder;
  readonly agent = new Agent({ pipelining: 1 });
  /** Requesters that a caller works with just now. What others hold without a lease, nobody will give back. */
  readonly busy = new Set<string>();
  /** True if FIXED is registered: a Redis that loses everything loses definitions, too. */
  isRegistered = true;
  readonly #end = new AbortController();

  constructor(system: System, recorder: Recorder) {
    this.system = system;
    this.recorder = recorder;
    setMaxListeners(0, this.#end.signal);
  }

  /** Returns true if callers are to come to an end. */
  get isOver(): boolean {
    return this.#end.signal.aborted;
  }

  /** Asks callers to come to an end, and ends their pauses. */
  end(): void {
    this.#end.abort();
  }

  /** Waits for so many ms, or until callers are to come to an end. */
  async pause(ms: number): Promise<void> {
    if (!this.isOver) await sleep(ms, undefined, { signal: this.#end.signal }).catch(() => {});
  }

  tenant(use: Tenant['use']): Tenant | undefined {
    return this.system.tenants.find((one) => one.use === use);
  }
}
