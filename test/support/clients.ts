/** Two instances of the service, and a client of each. */
import { Holdfast } from '../../packages/client/src/index.ts';
import type { HoldfastOptions } from '../../packages/client/src/types.ts';
import { type Instance, type InstanceOptions, makeConfiguredKey, makeTenant, startInstance } from './service.ts';

export interface Pair {
  readonly one: Instance;
  readonly two: Instance;
  /** A client of the first instance, and one of the second. */
  readonly a: Holdfast;
  readonly b: Holdfast;
  /** Another client of the first instance. */
  client(options?: Partial<HoldfastOptions>): Holdfast;
  stop(): Promise<void>;
}

export async function startPair(options: Omit<InstanceOptions, 'keys' | 'port'> = {}): Promise<Pair> {
  const keys = [makeConfiguredKey(makeTenant())];
  const [one, two] = await Promise.all([startInstance({ ...options, keys }), startInstance({ ...options, keys })]);
  return {
    one,
    two,
    a: new Holdfast({ url: one.url, key: one.key }),
    b: new Holdfast({ url: two.url, key: two.key }),
    client: (changes) => new Holdfast({ url: one.url, key: one.key, ...changes }),
    stop: async () => {
      await Promise.all([one.stop(), two.stop()]);
    },
  };
}
