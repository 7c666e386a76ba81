/**
 * The addresses that requests to hosts of tenants' choice may go to (docs/specification.md#addresses-of-tenants):
 * webhooks, keys of issuers and so on. Tenants must not reach internal hosts through this service.
 */
import { BlockList, isIP } from 'node:net';

/** What the configuration allows beside public https addresses. */
export interface Rules {
  /** Private addresses. */
  readonly allowPrivate: boolean;
  /** http without TLS. */
  readonly allowHttp: boolean;
}

type Subnets = readonly (readonly [network: string, prefix: number])[];

function blockList(ipv4: Subnets, ipv6: Subnets): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ipv4) list.addSubnet(network, prefix, 'ipv4');
  for (const [network, prefix] of ipv6) list.addSubnet(network, prefix, 'ipv6');
  return list;
}

/** Networks of companies, machines and examples. */
const PRIVATE = blockList(
  [
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
  ],
  [
    ['::1', 128],
    ['100::', 64],
    ['2001:db8::', 32],
    ['3fff::', 20],
    ['fc00::', 7],
    ['fec0::', 10],
  ],
);

/** Refused whatever the configuration says: nobody has a receiver there. */
const FORBIDDEN = blockList(
  [
    ['0.0.0.0', 8],
    // Link-local: the metadata of clouds, with their credentials. So are the three single addresses.
    ['169.254.0.0', 16],
    ['100.100.100.200', 32],
    ['168.63.129.16', 32],
    ['192.0.0.192', 32],
    // Relays of 6to4.
    ['192.88.99.0', 24],
    // Multicast and reserved.
    ['224.0.0.0', 3],
  ],
  [
    // Unspecified, and the deprecated embedding of IPv4.
    ['::', 96],
    // IPv4 behind a translator (RFC 2765), and NAT64 with a network's own prefixes.
    ['::ffff:0:0:0', 96],
    ['64:ff9b:1::', 48],
    // Protocol assignments with Teredo, and 6to4.
    ['2001::', 23],
    ['2002::', 16],
    // Segment routing.
    ['5f00::', 16],
    ['fe80::', 10],
    // The metadata of AWS, Google and Oracle.
    ['fd00:ec2::', 32],
    ['fd20:ce::', 32],
    ['fd00:c1::', 32],
    ['ff00::', 8],
  ],
);

/** The first six groups of IPv6 addresses that stand for an IPv4 address: mapped, and of NAT64. */
const EMBEDDING = new Set(['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0']);

/**
 * Checks an IP address.
 * @returns the end of a sentence that starts with what has this address; null: requests may go there
 */
export function ipFault(address: string, { allowPrivate }: Pick<Rules, 'allowPrivate'>): string | null {
  const ip = embedded(address) ?? address;
  const family = isIP(ip) === 6 ? 'ipv6' : 'ipv4';
  if (FORBIDDEN.check(ip, family) && ip !== LOOPBACK)
    return allowPrivate ? 'must not be a link-local or reserved address' : NOT_PRIVATE;
  return !allowPrivate && PRIVATE.check(ip, family) ? NOT_PRIVATE : null;
}

const NOT_PRIVATE = 'must not be a private address';
const LOOPBACK = '::1';

/** Returns the IPv4 address that an IPv6 address stands for; null: none */
function embedded(address: string): string | null {
  if (isIP(address) !== 6) return null;
  const groups = groupsOf(address);
  if (!EMBEDDING.has(groups.slice(0, 6).join(':'))) return null;
  return groups
    .slice(6)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}

/** Returns the eight groups of an IPv6 address, hexadecimal without leading zeros. */
function groupsOf(address: string): string[] {
  const [before = [], after] = bare(new URL(`http://[${address.replace(/%.*/, '')}]`))
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''));
  if (after === undefined) return before;
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after];
}

/** The host of a URL, without the brackets of IPv6. */
const bare = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/**
 * Checks an address that a tenant names, without looking up its name.
 * @returns the end of a sentence that starts with the field's name; null: requests may go there
 */
export function addressFault(address: string, rules: Rules): string | null {
  const expected = rules.allowHttp ? 'must be an http or https address' : 'must be an https address';
  if (!URL.canParse(address)) return expected;
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') return 'must hold no credentials';
  if (url.protocol !== 'https:' && !(rules.allowHttp && url.protocol === 'http:')) return expected;
  const host = bare(url);
  if (isIP(host) !== 0) return ipFault(host, rules);
  return !rules.allowPrivate && /(^|\.)localhost\.?$/i.test(host) ? NOT_PRIVATE : null;
}
