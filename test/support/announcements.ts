/**
 * A tenant whose clock is steered, with a stream whose lease does not lapse, and the events of its channel.
 */
import type { Redis } from 'ioredis';
import type { TenantRecord } from '../../src/domain/tenants.ts';
import { sweep } from '../../src/engine/expiry/sweep.ts';
import { loadTenant } from '../../src/engine/tenant/record.ts';
import { openStream } from '../../src/engine/tenant/streamLeases.ts';
import { configuredTenants } from '../../src/identity/configured.ts';
import { eventsChannel, expiryKey, expiryShard } from '../../src/redis/keys.ts';
import { STEERED_CLOCK, setClock } from './clock.ts';
import { type RunningEngine, startEngine } from './engine.ts';
import { changeHot } from './hotRecord.ts';
import { makeConfiguredKey, makeTenant } from './service.ts';
import { until } from './until.ts';

export interface Told {
  readonly type: string;
  readonly resource: string | null;
  readonly requester: string | null;
  readonly expiresAt?: number | null;
  readonly fencingToken?: number | null;
  /** Of WANTED: the number of tickets. */
  readonly waiting?: number;
}

export class Listened {
  readonly running: RunningEngine;
  readonly #looking: Redis;
  readonly #channel: Redis;
  readonly #told: Told[] = [];
  readonly #startMs: number;
  #seconds = 0;
  #record: TenantRecord;

  private constructor(running: RunningEngine, looking: Redis, record: TenantRecord, startMs: number) {
    this.running = running;
    this.#looking = looking;
    this.#channel = looking.duplicate();
    this.#record = record;
    this.#startMs = startMs;
    this.#channel.on('smessage', (_, message: string) => {
      for (const line of message.split('\n').slice(1)) this.#told.push(JSON.parse(line));
    });
  }

  /**
   * Starts one whose clock stands still at a time, in ms since 1970 UTC.
   * @param includes stand-ins for modules of lua/, by name
   */
  static async start(
    redisUrl: string,
    looking: Redis,
    startMs: number,
    includes: Readonly<Record<string, string>> = {},
  ): Promise<Listened> {
    const key = makeConfiguredKey(makeTenant());
    const modules = { 'frame/now': STEERED_CLOCK, ...includes };
    const running = await startEngine(key.tenant, redisUrl, modules, {}, key);
    const record = configuredTenants([key]).get(key.tenant);
    if (record === undefined) throw new Error('no tenant');
    const one = new Listened(running, looking, record, startMs);
    await one.set(300);
    await one.at(0);
    await one.#channel.ssubscribe(eventsChannel(key.tenant));
    return one;
  }

  get tenant(): string {
    return this.running.credential.tenant;
  }

  /** Sets the clock to s after the start. */
  async at(seconds: number): Promise<void> {
    this.#seconds = seconds;
    await setClock(this.running.engine.redis, this.tenant, this.#startMs + seconds * 1000);
  }

  /** Sets the clock, and sweeps if the due index has the tenant by then. Returns the resources announced meanwhile. */
  async sweptAt(seconds: number): Promise<string[]> {
    await this.at(seconds);
    const due = await this.dueAt();
    if (due === null || due > this.#seconds) return [];
    await sweep(this.running.engine.redis);
    return (await this.told()).filter(({ type }) => type === 'ENDS_SOON').map(({ resource }) => resource ?? '');
  }

  /** Sets endsSoonSeconds. */
  set(endsSoonSeconds: number): Promise<void> {
    return this.#load({ ...this.#record, endsSoonSeconds });
  }

  /** Sets the types of events that subscriptions and persons want. */
  want(notices: TenantRecord['notices']): Promise<void> {
    return this.#load({ ...this.#record, notices });
  }

  async #load(record: TenantRecord): Promise<void> {
    this.#record = record;
    await loadTenant(this.running.engine.redis, record, { definitionsVersion: 0, lease: null });
  }

  /** Opens a stream whose lease does not lapse. */
  async listen(): Promise<void> {
    await openStream(this.running.engine, this.running.credential, 'stream');
    await changeHot(this.#looking, this.tenant, { listenUntil: this.#startMs + 10 ** 9 });
  }

  /** The time at which the due index has the tenant, in s after the start; null: it does not. */
  async dueAt(): Promise<number | null> {
    const ms = await this.#looking.zscore(expiryKey(expiryShard(this.tenant)), this.tenant);
    return ms === null ? null : (Number(ms) - this.#startMs) / 1000;
  }

  /** The events since the last call. */
  async told(): Promise<Told[]> {
    // What was published before has arrived with this.
    const mark = `mark ${Math.random()}`;
    await this.running.engine.redis.spublish(eventsChannel(this.tenant), `\n${JSON.stringify({ type: mark })}`);
    await until('all events', () => this.#told.at(-1)?.type === mark);
    return this.#told.splice(0).slice(0, -1);
  }

  stop(): void {
    this.#channel.disconnect();
    this.running.stop();
  }
}
