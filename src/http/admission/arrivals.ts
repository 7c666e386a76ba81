/**
 * Reads bodies that are arriving. Each belongs to an owner: an address or a tenant. The bodies of one owner and of all
 * owners are limited in number and in arrived bytes, so that callers who send slowly, or nothing, keep nobody else out.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FailureCode } from '../../domain/errors.ts';
import { onceEnded } from '../../events/onceEnded.ts';
import type { Incoming } from './incoming.ts';

/** A body of which nothing arrives for this time is cut off. */
const STALL_MS = 5000;
const CHECK_EVERY_MS = 500;
/** A whole body that is handed over later than this is refused: its caller would give up soon. */
const PATIENCE_MS = 5000;

/**
 * A large body whose request is over a limit keeps its place in hand for this time: to refuse one takes as long as to
 * parse it, and a caller that sends the next at once would have the instance do nothing else.
 */
const OVER_LIMIT_MS = 50;

/** Why a body was not read to its end. GONE: the client closed the connection. */
export type BodyFault = Extract<FailureCode, 'BODY_TIMEOUT' | 'BODY_TOO_LARGE' | 'OVERLOADED'> | 'GONE';

export class BodyError extends Error {
  readonly fault: BodyFault;

  constructor(fault: BodyFault) {
    super(fault);
    this.fault = fault;
  }
}

export interface Bounds {
  /** Maximum number of bodies that are arriving. */
  readonly bodies: number;
  /** Maximum arrived bytes of these bodies. A single body may have more. */
  readonly bytes: number;
}

export interface ArrivalsOptions {
  readonly perOwner: Bounds;
  readonly inAll: Bounds;
  /** ms after which a body makes room for another one if there is none; Infinity: never, the new body is refused */
  readonly yieldsAfterMs: number;
  /** Larger bodies count for all owners until their requests are answered: they are still in memory. */
  readonly smallBytes: number;
  /**
   * Larger bodies of one owner that are handed over until their requests are answered. The others wait as bytes: made
   * into objects they are ten times as large, and each collection of young objects would copy them all.
   */
  readonly inHand: number;
}

/** A request whose body arrives. */
type Body = IncomingMessage & Partial<Pick<Incoming, 'endBody'>>;

interface Arrival {
  readonly beganMs: number;
  lastMs: number;
  bytes: number;
  readonly cut: (fault: BodyFault) => void;
}

/** The bodies of one owner or of all, the oldest first. */
class Group {
  readonly arrivals = new Set<Arrival>();
  bytes = 0;
  /** Whole bodies that were handed over, and those that wait for that. */
  inHand = 0;
  readonly whole: Whole[] = [];

  get isIdle(): boolean {
    return this.arrivals.size + this.inHand + this.whole.length === 0;
  }
}

/** A large body that has arrived. */
interface Whole {
  readonly handOver: () => void;
  /** Its client has gone. */
  readonly drop: () => void;
}

export class Arrivals {
  readonly #options: ArrivalsOptions;
  readonly #all = new Group();
  readonly #owners = new Map<string, Group>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ArrivalsOptions) {
    this.#options = options;
  }

  /** Arrived bytes that still count. */
  get bytes(): number {
    return this.#all.bytes;
  }

  /**
   * Reads a body.
   * @param owner the owner for whom the body counts
   * @param maxBytes maximum size of the body
   * @throws BodyError
   */
  read(incoming: Body, response: ServerResponse, owner: string, maxBytes: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (incoming.destroyed) return reject(new BodyError('GONE'));
      const group = this.#owners.get(owner) ?? new Group();
      if (!this.#hasRoom(group)) return reject(new BodyError('OVERLOADED'));
      this.#owners.set(owner, group);

      const chunks: Buffer[] = [];
      const stop = () => {
        incoming.off('data', onData).off('end', onEnd).off('close', onClose);
        this.#all.arrivals.delete(arrival);
        group.arrivals.delete(arrival);
        group.bytes -= arrival.bytes;
        if (group.isIdle) this.#owners.delete(owner);
      };
      const forget = () => {
        this.#all.bytes -= arrival.bytes;
      };
      const now = performance.now();
      const arrival: Arrival = {
        beganMs: now,
        lastMs: now,
        bytes: 0,
        cut: (fault) => {
          stop();
          forget();
          incoming.pause();
          reject(new BodyError(fault));
        },
      };
      const onData = (chunk: Buffer) => {
        arrival.lastMs = performance.now();
        arrival.bytes += chunk.length;
        group.bytes += chunk.length;
        this.#all.bytes += chunk.length;
        chunks.push(chunk);
        if (arrival.bytes > maxBytes) arrival.cut('BODY_TOO_LARGE');
        else this.#fit(arrival, group);
      };
      const onEnd = () => {
        const body = Buffer.concat(chunks);
        if (arrival.bytes > this.#options.smallBytes && !response.closed) {
          const whole: Whole = {
            handOver: () => {
              if (performance.now() - arrival.lastMs > PATIENCE_MS) reject(new BodyError('OVERLOADED'));
              else resolve(body);
            },
            drop: () => reject(new BodyError('GONE')),
          };
          this.#enter(group, whole);
          const leave = () => {
            this.#leave(group, whole);
            if (group.isIdle) this.#owners.delete(owner);
          };
          incoming.endBody = onceEnded(response, () => {
            forget();
            if (response.statusCode === 429) setTimeout(leave, OVER_LIMIT_MS).unref();
            else leave();
          });
        } else {
          forget();
          resolve(body);
        }
        stop();
      };
      const onClose = () => arrival.cut('GONE');
      group.arrivals.add(arrival);
      this.#all.arrivals.add(arrival);
      this.#timer ??= setInterval(() => this.#cutStalled(), CHECK_EVERY_MS).unref();
      incoming.on('data', onData).on('end', onEnd).on('close', onClose);
    });
  }

  #enter(group: Group, whole: Whole): void {
    if (group.inHand >= this.#options.inHand) {
      group.whole.push(whole);
      return;
    }
    group.inHand++;
    whole.handOver();
  }

  /** The request of a whole body is answered, or its client has gone. */
  #leave(group: Group, whole: Whole): void {
    const place = group.whole.indexOf(whole);
    if (place >= 0) {
      group.whole.splice(place, 1);
      whole.drop();
      return;
    }
    group.inHand--;
    const next = group.whole.shift();
    if (next !== undefined) this.#enter(group, next);
  }

  /** Returns whether one more body may arrive, and cuts off an old one if that makes the room. */
  #hasRoom(group: Group): boolean {
    const { perOwner, inAll } = this.#options;
    return (
      (group.arrivals.size < perOwner.bodies || this.#cutOldest(group)) &&
      (this.#all.arrivals.size < inAll.bodies || this.#cutOldest(this.#all))
    );
  }

  /** Makes room for the bytes of a body that has grown. If that fails, cuts off this body. */
  #fit(arrival: Arrival, group: Group): void {
    const { perOwner, inAll } = this.#options;
    for (const [within, bounds] of [
      [group, perOwner],
      [this.#all, inAll],
    ] as const)
      while (within.bytes > bounds.bytes && within.bytes > arrival.bytes)
        if (!this.#cutOldest(within, arrival)) {
          arrival.cut('OVERLOADED');
          return;
        }
  }

  #cutOldest({ arrivals }: Group, spared?: Arrival): boolean {
    const [oldest] = arrivals;
    if (oldest === undefined || oldest === spared) return false;
    if (performance.now() - oldest.beganMs < this.#options.yieldsAfterMs) return false;
    oldest.cut('BODY_TIMEOUT');
    return true;
  }

  #cutStalled(): void {
    const before = performance.now() - STALL_MS;
    for (const arrival of this.#all.arrivals) if (arrival.lastMs < before) arrival.cut('BODY_TIMEOUT');
    if (this.#all.arrivals.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
