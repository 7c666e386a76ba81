/** A real service and the fake, for tests that both must pass. */
import { expect } from 'vitest';
import { Holdfast, type HoldfastClient } from '../../../packages/client/src/index.ts';
import { fakeHoldfast } from '../../../packages/client/src/testing/index.ts';
import { startInstance } from '../../support/service.ts';

export interface Side {
  /** A client with nothing held and nothing registered. */
  readonly client: HoldfastClient;
  /** Lets somebody else hold a resource. Returns a function that releases it. */
  heldBy(name: string, requester: string, note?: string): Promise<() => Promise<void>>;
  /** Lets time pass until something is so. */
  until(isSo: () => boolean | Promise<boolean>): Promise<void>;
}

export interface Kind {
  readonly kind: string;
  start(): Promise<{ make(): Promise<Side>; stop(): Promise<void> }>;
}

const fake: Kind = {
  kind: 'the fake',
  start: async () => ({
    make: async () => {
      const client = fakeHoldfast();
      return {
        client,
        heldBy: async (name, requester, note) => {
          const release = client.heldBy(name, requester, note === undefined ? {} : { note });
          return async () => release();
        },
        until: async (isSo) => {
          for (let i = 0; !(await isSo()); i++) {
            expect(i).toBeLessThan(1000);
            await client.advance('1s');
          }
        },
      };
    },
    stop: async () => {},
  }),
};

const real: Kind = {
  kind: 'the service',
  start: async () => {
    const service = await startInstance({ env: { ROLE: 'all' } });
    const { url, key } = service;
    return {
      make: async () => {
        const client = new Holdfast({ url, key });
        await client.reset();
        for (const { name } of await client.definitions()) await client.unregister(name);
        return {
          client,
          heldBy: async (name, requester, note) => {
            const hold = await client.reserve(name, { requester, note, ttl: Number.POSITIVE_INFINITY });
            return async () => void (await hold.release());
          },
          until: (isSo) => expect.poll(isSo).toBe(true),
        };
      },
      stop: () => service.stop(),
    };
  },
};

export const KINDS = [fake, real];
