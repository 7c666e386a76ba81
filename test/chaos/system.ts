/**
 * A running service of real processes: instances, workers, a balancer, Redis in some topology, Postgres. Setups start
 * it, the load calls it, faults break its parts.
 */
import type { Random } from './random.ts';

export type PartKind = 'instance' | 'worker' | 'balancer' | 'redis' | 'sentinel' | 'postgres';

/** One process. */
export interface Part {
  /** Such as `api0`, `worker0`, `redis0`, `sentinel2`. */
  readonly name: string;
  readonly kind: PartKind;
  /** It changes when the part is started again. */
  readonly pid: number;
  readonly isRunning: boolean;
  /** The address of its host: one of its own if it is in a network namespace. It stays the same. */
  readonly host: string;
  /** For instances the HTTP port, for the others the one that their clients use. It stays the same. */
  readonly port: number;
  /** The end of what it logged since it was first started, for reports. */
  log(): string;
  /** Resolves when the process has ended, for signals that end it. */
  signal(signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  /**
   * Starts it again after its end: at the same port, with the data that it stored, an instance or a worker also from
   * another build. Resolves when it listens.
   */
  restart(program?: Program): Promise<void>;
}

/** A tenant that callers act for. */
export interface Tenant {
  /**
   * Its purpose: `main` has the load of every verb, `quota` small limits that its callers exceed, `leases` callers
   * who watch closely when leases end, `booked` bookings, `booked-idle` bookings and no calls once they are made,
   * `turned` keys that are rotated and suspensions (both only with a database).
   */
  readonly use: 'main' | 'quota' | 'leases' | 'booked' | 'booked-idle' | 'turned';
  readonly tenant: string;
  /** The key that it has now. It changes when a fault rotates it. */
  key: string;
}

export interface System {
  readonly parts: readonly Part[];
  /** Where callers call: the balancer, and each instance by itself. */
  readonly addresses: readonly { readonly name: string; readonly url: string }[];
  readonly tenants: readonly Tenant[];
  /** Traits of its servers: they decide which faults apply and what these may undo. */
  readonly traits: Traits;
  /** The Redis that is the primary for a tenant just now. */
  primaryOf(tenant: string): Promise<Part>;
  /** Runs a command at one Redis or sentinel. */
  command(part: Part, ...words: readonly (string | number)[]): Promise<unknown>;
  /** The value of REDIS_URL. */
  readonly redisUrl: string;
  /** Builds of the service: the one that is tried, and perhaps an older one for a rolling update. */
  readonly programs: readonly Program[];
  /**
   * Drops packets from some parts to others silently, as a broken network does; only where `canPartition`. Parts that
   * share a network are cut off together: instances, workers and this process.
   * @returns what lets them through again
   */
  cut(from: readonly Part[], to: readonly Part[]): Promise<() => Promise<void>>;
  /** Sets how far the clock of a Redis is ahead of the true time, in ms; only where `canStepClock`. */
  setClock(part: Part, aheadMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** Who is an administrator of a service with a database, by ADMINS. */
export const ADMINISTRATOR = 'root@chaos.example';

export interface Traits {
  readonly topology: 'one' | 'sentinel' | 'cluster';
  readonly persistence: 'always' | 'everysec' | 'none';
  /** REDIS_WAIT_REPLICAS, and how many replicas each primary has. */
  readonly waitReplicas: number;
  readonly replicas: number;
  readonly hasDatabase: boolean;
  /** True if each Redis is in a network namespace of its own, so that it can be cut off. */
  readonly canPartition: boolean;
  /** True if each Redis has been started with the clock that faults can move. */
  readonly canStepClock: boolean;
  /** True if `programs` has a second build. */
  readonly hasOtherProgram: boolean;
}

export interface Setup {
  /** Such as `always`, `everysec`, `none`, `sentinel`, `sentinel-all`, `cluster`, `cluster-all`, `database`. */
  readonly name: string;
  /**
   * @param program the build of instances and workers; by default the source, which starts more slowly
   * @param other another build, for rolling updates
   */
  start(random: Random, program?: Program, other?: Program): Promise<System>;
}

/** A build of the service. */
export interface Program {
  /** For people who read a report, such as `source` or a commit. */
  readonly name: string;
  /** The arguments of node that run an instance. */
  readonly command: readonly string[];
}
