/** The command of `run` as a process: it shares stdin, stdout, stderr and the terminal with holdfast. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT, ExitError } from '../exitCodes.ts';
import { codeOfSignal } from '../interrupts.ts';
import { Guard } from './guard.ts';
import { alive, listProcesses, type Process, signalTo, treeOf } from './processes.ts';

export class Child {
  /** The exit code: 128 + n if signal n ended it. */
  readonly ended: Promise<number>;
  readonly #process: ChildProcess;
  readonly #pid: number;
  readonly #guard: Guard;
  /** The command and its descendants as they were when they were asked to end. */
  #asked: readonly Process[] = [];

  private constructor(process: ChildProcess, pid: number, guard: Guard) {
    this.#process = process;
    this.#pid = pid;
    this.#guard = guard;
    this.ended = new Promise((resolve) => {
      process.once('exit', (code, signal) => resolve(signal === null ? (code ?? 0) : codeOfSignal(signal)));
    });
  }

  /** @throws ExitError 127 if there is no such command, 126 if it cannot be executed */
  static async start(command: readonly string[], env: NodeJS.ProcessEnv): Promise<Child> {
    const [file = '', ...args] = command;
    const guard = new Guard();
    try {
      const process = spawn(file, args, { stdio: 'inherit', env });
      const { pid = 0 } = process;
      const child = new Child(process, pid, guard);
      if (pid !== 0) guard.watch(pid);
      await once(process, 'spawn');
      return child;
    } catch (error) {
      guard.stop();
      throw startError(file, error);
    }
  }

  /** Passes a signal on, unless the command has got it with the rest of the process group. */
  async pass(signal: NodeJS.Signals): Promise<void> {
    const groups = new Map(listProcesses().map(({ pid, group }) => [pid, group]));
    const isTogether = groups.get(this.#pid) === groups.get(process.pid);
    if (isTogether && (await this.#guard.getsSignal(signal))) return;
    this.#process.kill(signal);
  }

  /** Passes a signal on to the command and its descendants: a shell does not pass it on to the program it waits for. */
  passToTree(signal: NodeJS.Signals): void {
    // A descendant whose parent has ended since the last signal is no longer found in the tree.
    const known = alive(this.#asked);
    const more = treeOf(this.#pid).filter(({ pid }) => !known.some((one) => one.pid === pid));
    this.#asked = [...known, ...more];
    this.#process.kill(signal);
    for (const { pid } of this.#asked) if (pid !== this.#pid) signalTo(pid, signal);
  }

  /** Asks the command and its descendants to end. */
  terminate(): void {
    this.passToTree('SIGTERM');
    for (const { pid } of this.#asked) signalTo(pid, 'SIGCONT'); // A stopped process would not see the SIGTERM.
  }

  /** Ends the command and its descendants at once. */
  kill(): void {
    const rest = [...treeOf(this.#pid), ...alive(this.#asked)];
    this.#process.kill('SIGKILL');
    for (const { pid } of rest) if (pid !== this.#pid) signalTo(pid, 'SIGKILL');
  }

  /** Waits for the descendants that were asked to end, after the command has ended. */
  async descendantsEnded(signal: AbortSignal): Promise<void> {
    while (alive(this.#asked).length > 0 && !signal.aborted) await sleep(50);
  }

  /** To be called when the command has ended. */
  stopGuard(): void {
    this.#guard.stop();
  }
}

function startError(file: string, error: unknown): ExitError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  if (code === 'ENOENT') return new ExitError(EXIT.notFound, `${file}: command not found`);
  return new ExitError(EXIT.notExecutable, `${file}: cannot be executed (${code})`);
}
