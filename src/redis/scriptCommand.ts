/**
 * A command of ioredis that calls a receiver instead of making promises: most of what a request costs in the client is
 * promises. ioredis keeps its connections, queues, decoder and redirections. test/redis/scriptCommand.test.ts checks
 * what this relies on.
 */
import { Command } from 'ioredis';
import type { Receiver } from './send.ts';

export class ScriptCommand extends Command {
  #receiver: Receiver<unknown> | undefined;

  /**
   * @param name of the command: fcall, evalsha or eval
   * @param isBytes whether strings of the reply are bytes
   */
  constructor(name: string, args: (string | number)[], isBytes: boolean, receiver: Receiver<unknown>) {
    super(name, [], isBytes ? IN_BYTES : AS_TEXT);
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

const IN_BYTES = {};
const AS_TEXT = { replyEncoding: 'utf8' } as const;

// Command declares the first as private, and the others as properties: its initPromise() sets them.
const { answer, fail } = ScriptCommand.prototype;
Object.assign(ScriptCommand.prototype, { initPromise: () => {}, resolve: answer, reject: fail });
