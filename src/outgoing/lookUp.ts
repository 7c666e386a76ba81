/**
 * Looks up the names in addresses that tenants name, and refuses those with an address that requests must not go to.
 * The connection uses the checked addresses, so that a second lookup cannot return others.
 */
import { type LookupAddress, promises } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { ipFault, type Rules } from './addresses.ts';
import { OutgoingFault } from './fault.ts';

/** Of one try. There are two. */
const TIMEOUT_MS = 2000;

/**
 * Makes the lookup of a connection. It asks name servers itself: the system's lookup takes one of few threads of the
 * process, and names whose servers never answer would hold all of them.
 * @param signal ends the lookup
 * @param servers the name servers; by default, those of the system
 */
export function checkedLookup(rules: Rules, signal: AbortSignal, servers?: readonly string[]): LookupFunction {
  return (hostname, options, done) => {
    addressesOf(hostname, rules, signal, servers).then(
      (addresses) => {
        const [first] = addresses;
        // The same fault, so that tenants do not learn which names the service's own network has.
        if (first === undefined || addresses.some(({ address }) => ipFault(address, rules) !== null))
          done(new OutgoingFault('The name of the host has no address, or one that is not allowed.'), '', 4);
        else if (options.all) done(null, addresses);
        else done(null, first.address, first.family);
      },
      (error) => done(error, '', 4),
    );
  };
}

async function addressesOf(
  hostname: string,
  { allowPrivate }: Rules,
  signal: AbortSignal,
  servers: readonly string[] | undefined,
): Promise<LookupAddress[]> {
  const resolver = new promises.Resolver({ timeout: TIMEOUT_MS, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = [...ofFamily(four, 4), ...ofFamily(six, 6)];
    // Names in the machine's own files are private ones.
    return found.length > 0 || !allowPrivate || signal.aborted ? found : await promises.lookup(hostname, { all: true });
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

const ofFamily = (result: PromiseSettledResult<string[]>, family: number): LookupAddress[] =>
  result.status === 'rejected' ? [] : result.value.map((address) => ({ address, family }));
