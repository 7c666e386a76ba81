/** A service for the scenarios of one file, which run side by side: each has a tenant and a proxy of its own. */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll } from 'vitest';
import type { ConfiguredKey } from '../../src/identity/configured.ts';
import { type Client as Caller, createClient } from '../support/client.ts';
import { type FaultyProxy, startFaultyProxy } from '../support/faultyProxy.ts';
import { type Instance, makeConfiguredKey, makeTenant, startInstance } from '../support/service.ts';
import { until } from '../support/until.ts';
import { type Client, prepareClients, type Start } from './clients.ts';
import { Program } from './program.ts';

/** The keys of tenants that no scenario has yet. */
let keys: ConfiguredKey[];

export let service: Instance;

/**
 * Starts the service before the tests of the file that calls this, and stops it afterwards.
 * @param scenes how many scenes the file opens at most
 */
export function useService(scenes = 100): void {
  beforeAll(async () => {
    await prepareClients();
    keys = Array.from({ length: scenes }, () => makeConfiguredKey(makeTenant()));
    service = await startInstance({ keys: [...keys] });
  });
  afterAll(() => service.stop());
}

/** A tenant with a program that reaches the service by way of a proxy. */
export class Scene {
  readonly key: string;
  readonly tenant: string;
  /** Calls of the tenant, past the proxy. */
  readonly caller: Caller;
  readonly proxy: FaultyProxy;
  readonly program: Program;

  private constructor(key: string, tenant: string, caller: Caller, proxy: FaultyProxy, program: Program) {
    this.key = key;
    this.tenant = tenant;
    this.caller = caller;
    this.proxy = proxy;
    this.program = program;
  }

  /**
   * @param how.keyFile the file that the program reads its key from, which is written
   * @param how.start starts another program than that of the client
   */
  static async open(
    client: Client,
    { keyFile, start }: { readonly keyFile?: string; readonly start?: Start } = {},
  ): Promise<Scene> {
    const one = keys.pop();
    if (one === undefined) throw new Error('the file opens more scenes than it said');
    if (keyFile !== undefined) writeFileSync(keyFile, one.key);
    const proxy = await startFaultyProxy(service.url);
    const key = keyFile === undefined ? { HOLDFAST_KEY: one.key } : { HOLDFAST_KEY_FILE: keyFile };
    const program = await Program.start(client, { HOLDFAST_URL: proxy.url, ...key }, start);
    return new Scene(one.key, one.tenant, createClient(service.url, one.key), proxy, program);
  }

  /** The end of the lease of a resource as the service has it, in ms since 1970. */
  async endOf(resource: string): Promise<number> {
    const [active] = (await this.caller.active(`?resource=${resource}`)).body;
    return Date.parse(active?.expiresAt ?? '');
  }

  /** Waits until a resource has been renewed so many times. */
  async renewals(resource: string, count: number): Promise<void> {
    const ends = new Set<number>();
    await until(`${count} renewals of ${resource}`, async () => ends.add(await this.endOf(resource)).size > count);
  }

  isWaiting(): Promise<boolean> {
    return until('it waits', async () => (await this.caller.waiting()).body.length === 1);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.program[Symbol.asyncDispose]();
    await this.proxy.stop();
  }
}

/** The refusal of the network: nothing listens there. */
export const NOWHERE = 'http://127.0.0.1:9';
