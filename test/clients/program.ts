/** Runs the program of a client, as README.md describes it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { forgetFakeClock } from '../support/languages.ts';
import { until } from '../support/until.ts';
import type { Client, Start } from './clients.ts';
import type { Command } from './commands.ts';

const Fields = z.record(z.string(), z.unknown());
const Line = z.looseObject({
  id: z.number(),
  event: z.string().optional(),
  answer: z.unknown().optional(),
  error: Fields.optional(),
});

/** Something that a program told while it carried out a command. */
export interface Told {
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** When it arrived here: `Date.now()`. */
  readonly at: number;
}

/** A command that was sent. */
export class Call {
  readonly id: number;
  readonly told: Told[] = [];
  /** Rejects with the fields of the error. */
  readonly answer: Promise<unknown>;
  /** Called with the answer. */
  resolve: (answer: unknown) => void = () => {};
  /** Called with the fields of the error, or if the program has ended. */
  reject: (error: unknown) => void = () => {};
  #isOver = false;

  constructor(id: number) {
    this.id = id;
    this.answer = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // A test need not look at it.
    const end = () => {
      this.#isOver = true;
    };
    this.answer.then(end, end);
  }

  /** Waits for the first event of a name. @throws Error if the command ends without it */
  event(name: string): Promise<Told> {
    return until(`${name} of command ${this.id}`, async () => {
      const found = this.told.find(({ event }) => event === name);
      if (found === undefined && this.#isOver)
        throw new Error(`${name} was not told: ${JSON.stringify(await this.answer)}`);
      return found;
    });
  }
}

type Without<T, Key extends PropertyKey> = T extends unknown ? Omit<T, Key> : never;
/** A command without its id. */
export type Wish = Without<z.input<typeof Command>, 'id'>;

export class Program {
  readonly pid: number;
  /** Its exit code; null if a signal ended it. */
  readonly exit: Promise<number | null>;
  /** Everything that it has written. */
  output = '';
  readonly #child: ChildProcess;
  readonly #calls = new Map<number, Call>();
  readonly #env: Readonly<Record<string, string>>;

  private constructor({ command: [file, ...args], env: own }: Start, env: Readonly<Record<string, string>>) {
    const { PATH = '', HOME = '' } = process.env;
    this.#env = env;
    this.#child = spawn(file, args, { env: { PATH, HOME, ...own, ...env } });
    this.pid = this.#child.pid ?? 0;
    const kill = () => this.#child.kill('SIGKILL');
    process.once('exit', kill);
    this.exit = new Promise((resolve) => {
      this.#child.once('close', (code) => {
        process.off('exit', kill);
        forgetFakeClock(this.pid);
        for (const call of this.#calls.values()) call.reject(new Error(`the program has ended: ${this.output}`));
        resolve(code);
      });
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => {
        this.output += text;
      });
    if (this.#child.stdout) createInterface(this.#child.stdout).on('line', (line) => this.#read(line));
    // It may have ended.
    this.#child.stdin?.on('error', () => {});
  }

  /** Starts the program of a client. `env` names the service and the key. */
  static async start(client: Client, env: Readonly<Record<string, string>>, start?: Start): Promise<Program> {
    return new Program(start ?? (await client.start()), env);
  }

  /** Sends a command. */
  send(wish: Wish): Call {
    const [call] = this.sendAll([wish]);
    if (call === undefined) throw new Error('nothing was sent');
    return call;
  }

  /** Sends commands in one write. */
  sendAll(wishes: readonly Wish[]): Call[] {
    const calls = wishes.map(() => this.#open());
    const lines = wishes.map((wish, i) => `${JSON.stringify({ id: calls[i]?.id, ...wish })}\n`);
    this.#child.stdin?.write(lines.join(''));
    return calls;
  }

  /** Sends a command and waits for its answer. */
  do(wish: Wish): Promise<unknown> {
    return this.send(wish).answer;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits until it has used 50 ms of CPU from now on: a program whose work spins has begun it. */
  async spins(): Promise<void> {
    const before = this.#ticks();
    await until('it spins', () => this.#ticks() >= before + 5);
  }

  /** Its CPU time, in hundredths of a second (proc_pid_stat(5): utime and stime). */
  #ticks(): number {
    const [, fields = ''] = readFileSync(`/proc/${this.pid}/stat`, 'utf8').split(') ');
    const [utime = 0, stime = 0] = fields.split(' ').slice(11, 13).map(Number);
    return utime + stime;
  }

  /** @throws Error if it has written its key */
  async [Symbol.asyncDispose](): Promise<void> {
    this.kill('SIGKILL');
    await this.exit;
    const { HOLDFAST_KEY: key = 'hf_' } = this.#env;
    if (this.output.includes(key)) throw new Error(`the program has written its key: ${this.output}`);
  }

  #open(): Call {
    const call = new Call(this.#calls.size + 1);
    this.#calls.set(call.id, call);
    return call;
  }

  #read(text: string): void {
    const { id, event, answer, error, ...fields } = Line.parse(JSON.parse(text));
    const call = this.#calls.get(id);
    if (event !== undefined) call?.told.push({ event, fields, at: Date.now() });
    else if (error !== undefined) call?.reject(error);
    else call?.resolve(answer);
  }
}
