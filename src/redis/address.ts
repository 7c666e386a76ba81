/**
 * Parses the address of a Redis (docs/specification.md#store-modes-and-start): one server, a primary behind sentinels,
 * or a cluster. An address contains everything that is needed to connect: nodes, credentials, TLS.
 */
export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

/** The settings for every node: credentials and TLS. */
export interface RedisAccess {
  readonly username?: string;
  readonly password?: string;
  readonly tls: boolean;
}

export type RedisAddress =
  /** A URL or a socket path, in the form that ioredis takes. */
  | { readonly kind: 'single'; readonly address: string }
  | ({
      readonly kind: 'sentinel';
      readonly sentinels: readonly RedisNode[];
      /** The sentinels' name for the primary. */
      readonly name: string;
      readonly db: number;
      /** The credentials of the sentinels themselves. */
      readonly sentinelUsername?: string;
      readonly sentinelPassword?: string;
    } & RedisAccess)
  | ({ readonly kind: 'cluster'; readonly nodes: readonly RedisNode[] } & RedisAccess);

const SINGLE = /^(rediss?:\/\/.|unix:\/\/\/)/;
/** Scheme, TLS, kind, user, password, nodes, path, query. */
const SEVERAL = /^redis(s?)\+(sentinel|cluster):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^@/?]+)(?:\/([^?]*))?(?:\?(.*))?$/;
const NODE = /^(?:\[([0-9a-fA-F:.]+)\]|([^:\s[\]]+))(?::(\d{1,5}))?$/;
const SENTINEL_PATH = /^([^/]+)(?:\/(\d{1,4}))?$/;

const PORTS = { sentinel: 26_379, cluster: 6379 };

/**
 * @returns the address, or its fault as the end of a sentence that starts with the setting's name. The fault contains
 * no part of the address, which may contain a password
 */
export function parseRedisAddress(url: string): RedisAddress | string {
  if (SINGLE.test(url)) {
    return { kind: 'single', address: url.startsWith('unix://') ? url.slice('unix://'.length) : url };
  }
  const [match, s, kind, user, pass, list = '', path = '', query = ''] = SEVERAL.exec(url) ?? [];
  if (match === undefined || (kind !== 'sentinel' && kind !== 'cluster'))
    return 'must begin with redis://, rediss://, unix:///, redis+sentinel:// or redis+cluster://, and name a node';
  const nodes = list.split(',').map((node) => parseNode(node, PORTS[kind]));
  if (!nodes.every((node) => node !== null)) return 'must name nodes as host:port, comma between';
  try {
    const access = {
      tls: s === 's',
      ...optional({ username: user && decodeURIComponent(user), password: pass && decodeURIComponent(pass) }),
    };
    if (kind === 'cluster') {
      return path === '' && query === ''
        ? { kind, nodes, ...access }
        : 'must end after the nodes of the cluster, which has database 0 only';
    }
    const [, name, db = '0'] = SENTINEL_PATH.exec(path) ?? [];
    if (name === undefined)
      return "must end with /name or /name/database, where name is the sentinels' name for the primary";
    const { sentinelUsername, sentinelPassword, ...unknown } = Object.fromEntries(new URLSearchParams(query));
    if (Object.keys(unknown).length > 0) return 'must have no parameters but sentinelUsername and sentinelPassword';
    const sentinelAccess = optional({ sentinelUsername, sentinelPassword });
    return { kind, sentinels: nodes, name: decodeURIComponent(name), db: Number(db), ...access, ...sentinelAccess };
  } catch {
    return 'must have % in user, password and name followed by two hexadecimal digits';
  }
}

function parseNode(text: string, usualPort: number): RedisNode | null {
  const [match, ipv6, host = ipv6, port] = NODE.exec(text.trim()) ?? [];
  if (match === undefined || host === undefined || Number(port ?? usualPort) > 65_535) return null;
  return { host, port: Number(port ?? usualPort) };
}

/** Returns the values that are neither undefined nor empty. */
function optional<Name extends string>(
  all: Readonly<Record<Name, string | undefined>>,
): { readonly [N in Name]?: string } {
  const set: { [N in Name]?: string } = {};
  for (const name in all) if (all[name]) set[name] = all[name];
  return set;
}
