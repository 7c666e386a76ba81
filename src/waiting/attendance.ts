/**
 * Attends the queue of one tenant while this instance has long polls of it: subscribes to wake-ups, beats, repairs what
 * was missed, and checks the credentials of the calls (docs/specification.md#waiting-lifetimes).
 */
import type { Logger } from 'pino';
import { HoldfastError, isTemporary } from '../domain/errors.ts';
import type { Credential } from '../domain/tenants.ts';
import { TIERS, type Tier } from '../domain/tiers.ts';
import { MIN_CLAIM_SECONDS } from '../domain/waiting.ts';
import type { Engine } from '../engine/engine.ts';
import { verifyCredential } from '../engine/tenant/credentials.ts';
import { beat } from '../engine/waiting/beat.ts';
import type { Bus } from '../events/bus.ts';
import { wakeChannel } from '../redis/keys.ts';
import { parseWakeUps, RESET } from './news.ts';
import type { TenantCalls } from './tenantCalls.ts';

/** Credentials are checked at every so many beats: a call whose credential ends is answered within 5 s. */
const CHECK_EVERY_BEATS = 2;

/** A grant may come and end unnoticed between beats that are further apart, and tickets may be passed over. */
const MAX_SILENCE_MS = MIN_CLAIM_SECONDS * 1000;

export interface AttendanceDeps {
  readonly engine: Engine;
  readonly bus: Bus;
  readonly log: Logger;
  readonly instance: string;
}

export class Attendance {
  readonly calls: TenantCalls;
  readonly #deps: AttendanceDeps;
  readonly #tenant: string;
  /** Resolves once wake-ups arrive and Redis knows that this instance lives; null: they do not arrive. */
  #ready: Promise<void> | null = null;
  #isBusy = false;
  #isChecking = false;
  #beats = 0;
  #tier: Tier = TIERS[0];
  /** The last beat that was answered, when it was sent (as performance.now() counts), and the number of resets then. */
  #last: { readonly beat: number; readonly sentAt: number; readonly resets: number } | null = null;
  /** True if tickets of long polls may have been lost, passed over, or granted and ended, unnoticed. */
  #mustContinue = false;
  #isContinuing = false;

  constructor(deps: AttendanceDeps, tenant: string, calls: TenantCalls) {
    this.#deps = deps;
    this.#tenant = tenant;
    this.calls = calls;
  }

  /** The tenant's tier, as of the last beat. */
  get tier(): Tier {
    return this.#tier;
  }

  /**
   * Waits until tickets may be issued: a grant would be noticed, and a loss of Redis's data too.
   * @throws HoldfastError unavailable
   */
  ready(): Promise<void> {
    this.#ready ??= this.#attend().catch((error: unknown) => {
      this.#ready = null;
      throw error;
    });
    return this.#ready;
  }

  /** Beats. To be called every 2 s. */
  async beat(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      if (this.#ready === null) await this.ready();
      else await this.#ready.then(() => this.#beat());
      this.calls.claimAgain();
    } catch (err) {
      this.#deps.log.warn({ err, tenant: this.#tenant }, 'attending the queue failed: long polls wait on');
    } finally {
      this.#isBusy = false;
    }
    if (this.#beats++ % CHECK_EVERY_BEATS === 0) void this.#checkCredentials();
  }

  close(): void {
    const { bus, log, instance } = this.#deps;
    bus
      .unsubscribe(wakeChannel(this.#tenant, instance))
      .catch((err: unknown) => log.debug({ err }, 'unsubscribing failed'));
  }

  async #attend(): Promise<void> {
    const { bus, instance } = this.#deps;
    await bus.subscribe(wakeChannel(this.#tenant, instance), {
      onMessage: (payload) => this.calls.receive(parseWakeUps(payload.toString())),
      onLost: () => {
        this.#ready = null;
        this.#mustContinue = true;
        if (this.calls.longPolls.size > 0) void this.beat();
      },
    });
    await this.#beat();
  }

  async #beat(): Promise<void> {
    const { engine, instance } = this.#deps;
    const number = ++this.calls.beats;
    const sentAt = performance.now();
    const { dueInMs, resets, isKnown, tier, granted } = await beat(engine, this.#tenant, instance);
    if (tier !== null) this.#tier = tier;
    engine.onDue?.(this.#tenant, dueInMs);
    const last = this.#last;
    this.#last = { beat: number, sentAt, resets: Number(resets) };
    if (last !== null && (!isKnown || performance.now() - last.sentAt > MAX_SILENCE_MS)) this.#mustContinue = true;
    else if (last !== null && Number(resets) > last.resets)
      this.calls.endAll(RESET, ({ answeredAtBeat }) => answeredAtBeat < last.beat);
    this.calls.receive(granted.map((ticket) => ({ kind: 'granted', ticket })));
    if (this.#mustContinue && !this.#isContinuing) void this.#continue();
  }

  /** Continues the tickets of all long polls. Redis issues those that it has lost again. */
  async #continue(): Promise<void> {
    this.#mustContinue = false;
    if (this.calls.longPolls.size === 0) return;
    this.#isContinuing = true;
    this.#deps.log.warn(
      { tenant: this.#tenant },
      'wake-ups or data of Redis may be lost: the tickets of long polls are continued or issued again',
    );
    if (!(await this.calls.continueAll())) this.#mustContinue = true;
    this.#isContinuing = false;
  }

  /** Ends the calls whose credentials are not valid any more. Their tickets stay. */
  async #checkCredentials(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    const credentials = new Map<string, Credential>();
    for (const { request } of this.calls.longPolls)
      credentials.set(request.credential.credentialKey, request.credential);
    for (const [key, credential] of credentials) {
      const error = await verifyCredential(this.#deps.engine, credential, 'reserve').then(
        () => null,
        (failure: unknown) => failure,
      );
      if (!(error instanceof HoldfastError) || isTemporary(error)) continue;
      for (const call of this.calls.longPolls)
        if (call.request.credential.credentialKey === key && !call.isRunning) this.calls.end(call, error);
    }
    this.#isChecking = false;
  }
}
