/**
 * A small helper process beside the command. It ends the command if holdfast itself is killed: nobody would renew the
 * lease any more. It also tells who gets a signal. A terminal and many CI systems signal the whole process group: then
 * the helper gets the signal, too, and the command must not get it a second time.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** The pipe of its stdin ends when holdfast does. */
const SCRIPT = 'read -r pid && { read -r end || kill -KILL "$pid"; }';

/** A signal reaches all processes of a group at the same time. Their ends are noticed this much later at most. */
const SAME_MOMENT_MS = 100;

export class Guard {
  #helper: ChildProcess | undefined;
  #watched: number | undefined;
  #last: { signal: NodeJS.Signals; at: number } | undefined;
  #stopped = false;

  constructor() {
    this.#start();
  }

  /** Ends this process if holdfast is killed. */
  watch(pid: number): void {
    this.#watched = pid;
    this.#helper?.stdin?.write(`${pid}\n`);
  }

  /** Returns true if a signal that holdfast got just now went to the whole group. It takes a moment to find out. */
  async getsSignal(signal: NodeJS.Signals): Promise<boolean> {
    const since = performance.now() - SAME_MOMENT_MS;
    const got = () => this.#last?.signal === signal && this.#last.at >= since;
    for (let waited = 0; waited < SAME_MOMENT_MS && !got(); waited += 10) await sleep(10);
    return got();
  }

  stop(): void {
    this.#stopped = true;
    this.#helper?.kill('SIGKILL');
  }

  #start(): void {
    if (process.platform === 'win32') return;
    const helper = spawn('/bin/sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'] });
    this.#helper = helper;
    helper.on('error', () => {}); // Without a shell, every signal counts as sent to holdfast alone.
    helper.stdin.on('error', () => {});
    if (this.#watched !== undefined) this.watch(this.#watched);
    helper.once('exit', (_code, signal) => {
      if (signal !== null) this.#last = { signal, at: performance.now() };
      if (signal !== null && !this.#stopped) this.#start();
    });
  }
}
