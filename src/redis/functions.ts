/**
 * Calls the functions of a library (bundle.ts). A primary that does not have the library gets it: one that has just
 * joined a cluster, or has restarted without its data. Where functions are forbidden, scripts run instead.
 */
import { Cluster, Command } from 'ioredis';
import type { ScriptObserver } from '../domain/scriptObserver.ts';
import type { Script } from './bundle.ts';
import type { RedisClient } from './client.ts';
import { Attempts, type Receiver } from './send.ts';
import { primariesOf } from './topology.ts';
import { rowOf, type Verb } from './verbs.ts';

/** Nothing has run. */
const isMissing = (error: unknown) => error instanceof Error && error.message.startsWith('ERR Function not found');
const isUnknown = (error: unknown) => error instanceof Error && error.message.startsWith('NOSCRIPT');
export const isForbidden = (error: unknown): boolean =>
  error instanceof Error && /^(NOPERM|ERR unknown command)/.test(error.message);
const isLoaded = (error: unknown) => error instanceof Error && error.message.includes('already exists');

const unobserved = () => {};

/** The form in which a verb is sent, and its command. */
const COMMANDS = { functionName: 'fcall', digest: 'evalsha', lua: 'eval' } as const;
type SentAs = keyof typeof COMMANDS;

/** A call of a verb, and what takes its reply. */
export interface ScriptCall extends Receiver<unknown> {
  readonly keys: readonly (string | number)[];
  /**
   * Returns what the script takes after its keys: anew for each attempt.
   * @param mayHaveRun the connection of an earlier attempt was lost before its reply
   */
  args(mayHaveRun: boolean): readonly (string | number)[];
}

/**
 * A command of ioredis that calls a receiver instead of making promises: most of what a request costs in the client is
 * promises. ioredis keeps its connections, queues, decoder and redirections. test/redis/commands.test.ts checks what
 * this relies on.
 */
export class ScriptCommand extends Command {
  #receiver: Receiver<unknown> | undefined;

  /**
   * @param name of the command: fcall, evalsha or eval
   * @param isBytes whether strings of the reply are bytes
   */
  constructor(name: string, args: (string | number)[], isBytes: boolean, receiver: Receiver<unknown>) {
    super(name, [], isBytes ? BYTES : TEXT);
    this.#receiver = receiver;
    // Command's constructor would copy them.
    this.args = args;
    this.stringifyArguments();
  }

  answer(reply: Buffer | Buffer[]): void {
    this.isResolved = true;
    this.#settle()?.answered(this.transformReply(reply));
  }

  fail(error: Error): void {
    this.#settle()?.failed(error);
  }

  /** Forgets what belongs to the call: objects that refer to each other long after it cost the garbage collector. */
  #settle(): Receiver<unknown> | undefined {
    this.isSettled = true;
    this.args = [];
    const receiver = this.#receiver;
    this.#receiver = undefined;
    return receiver;
  }
}

const BYTES = {};
const TEXT = { replyEncoding: 'utf8' } as const;

// Command declares the first as private, and the others as properties: its initPromise() sets them.
const { answer, fail } = ScriptCommand.prototype;
Object.assign(ScriptCommand.prototype, { initPromise: () => {}, resolve: answer, reject: fail });

/** Returns the keys of a call with those that its script derives from the tenant's (verbs.ts). Arguments may follow. */
function withDerived({ keys: { length }, derivedKeys }: Script, keys: ScriptCall['keys']): ScriptCall['keys'] {
  const prefix = String(keys[0]).slice(0, -'tenant'.length);
  return [...keys.slice(0, length), ...derivedKeys.map((name) => prefix + name), ...keys.slice(length)];
}

/** Returns the keys of a call without the last ones for which the tenant's stands (lua/frame/call.lua). */
function withoutLast({ keys: { length } }: Script, keys: ScriptCall['keys']): ScriptCall['keys'] {
  let passed = length;
  while (passed > 1 && keys[passed - 1] === keys[0]) passed--;
  return keys.toSpliced(passed, length - passed);
}

/** The verbs of lua/verbs on one client. */
export class Functions {
  readonly #redis: RedisClient;
  readonly #scripts: ReadonlyMap<string, Script>;
  readonly #onForbidden: () => void;
  readonly #observers: ScriptObserver[] = [];
  #isForbidden = false;
  /** The loading that is under way. */
  #loading: Promise<unknown> | undefined;

  /** @param onForbidden called once if Redis forbids functions */
  constructor(redis: RedisClient, scripts: readonly Script[], onForbidden: () => void) {
    this.#redis = redis;
    this.#scripts = new Map(scripts.map((script) => [script.name, script]));
    this.#onForbidden = onForbidden;
  }

  get isForbidden(): boolean {
    return this.#isForbidden;
  }

  forbid(): void {
    if (!this.#isForbidden) this.#onForbidden();
    this.#isForbidden = true;
  }

  observe(observer: ScriptObserver): void {
    this.#observers.push(observer);
  }

  /**
   * Tells the observers that a script is sent.
   * @param ofRequest one that watches only the scripts of a request
   * @returns a callback for its reply or error
   */
  begin(verb: Verb, ofRequest: ScriptObserver | undefined): (error?: unknown) => void {
    const observers = ofRequest === undefined ? this.#observers : [...this.#observers, ofRequest];
    if (observers.length === 0) return unobserved;
    const ends = observers.map((observer) => observer(verb));
    return (error) => {
      for (const end of ends) end(error);
    };
  }

  /** Sends a verb once: as a function, as the digest of a script, or as its text. */
  send(
    verb: Verb,
    what: SentAs,
    keys: ScriptCall['keys'],
    args: readonly (string | number)[],
    receiver: Receiver<unknown>,
  ): void {
    const script = this.#scripts.get(verb);
    if (script === undefined) throw new Error(`the script ${verb} is not defined`);
    const named = this.#redis instanceof Cluster ? withDerived(script, keys) : withoutLast(script, keys);
    const all = [script[what](), script.keys.length + named.length - keys.length, ...named, ...args];
    void this.#redis.sendCommand(new ScriptCommand(COMMANDS[what], all, rowOf(verb).hasBytes === true, receiver));
  }

  /** Loads the library into all primaries, once however many calls miss it. Another instance may be quicker. */
  load(): Promise<unknown> {
    const [script] = this.#scripts.values();
    const lua = script?.library().lua ?? '';
    this.#loading ??= Promise.all(
      primariesOf(this.#redis).map((primary) =>
        primary.function('LOAD', lua).catch((error: unknown) => {
          if (!isLoaded(error)) throw error;
        }),
      ),
    ).finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }
}

/** Calls a verb until it is answered. */
export class ScriptAttempts extends Attempts<unknown, ScriptCall> {
  readonly #functions: Functions;
  readonly #verb: Verb;
  readonly #ofRequest: ScriptObserver | undefined;
  #args: readonly (string | number)[] = [];
  /** Tells the observers how the attempt ended. */
  #end: (error?: unknown) => void = unobserved;
  /** The last command of the attempt. */
  #sent: SentAs = 'functionName';
  #hasLoaded = false;

  /** @param ofRequest observes the scripts of the request that the call is for */
  constructor(functions: Functions, verb: Verb, call: ScriptCall, ofRequest: ScriptObserver | undefined) {
    super(call);
    this.#functions = functions;
    this.#verb = verb;
    this.#ofRequest = ofRequest;
  }

  protected override send(mayHaveRun: boolean): void {
    this.#args = this.receiver?.args(mayHaveRun) ?? [];
    this.#end = this.#functions.begin(this.#verb, this.#ofRequest);
    this.#hasLoaded = false;
    this.#sendAs(this.#functions.isForbidden ? 'digest' : 'functionName');
  }

  override answered(reply: unknown): void {
    this.#end();
    super.answered(reply);
  }

  override failed(error: unknown): void {
    const isFunction = this.#sent === 'functionName';
    if (isFunction && isForbidden(error)) {
      this.#functions.forbid();
      this.#sendAs('digest');
    } else if (isFunction && isMissing(error) && !this.#hasLoaded) {
      this.#hasLoaded = true;
      this.#functions.load().then(
        () => this.#sendAs('functionName'),
        (cause: unknown) => this.failed(cause),
      );
    } else if (this.#sent === 'digest' && isUnknown(error)) this.#sendAs('lua');
    else {
      this.#end(error);
      super.failed(error);
    }
  }

  #sendAs(what: SentAs): void {
    this.#sent = what;
    // Its time may be over. What would run now would run after its caller got a 503.
    if (this.receiver === undefined) this.#end(new Error('no reply in time'));
    else this.#functions.send(this.#verb, what, this.receiver.keys, this.#args, this);
  }
}
