/** Signals that users and CI systems send to holdfast: they end it in an orderly way, or go to the command of `run`. */
import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

/** Time that a command may take to end in an orderly way: to cancel its wait, for example. */
const PATIENCE_MS = 3000;

/** The exit code of a process that a signal ended. */
export const codeOfSignal = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];

export class Interrupts {
  readonly #controller = new AbortController();
  #passTo: ((signal: NodeJS.Signals) => void) | undefined;
  #received: NodeJS.Signals | undefined;
  #passed: NodeJS.Signals | undefined;

  constructor() {
    for (const signal of SIGNALS) process.on(signal, () => this.#receive(signal));
  }

  /** Aborts at the first signal. The second one ends the process at once. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The first signal that was not passed on. */
  get received(): NodeJS.Signals | undefined {
    return this.#received;
  }

  /** The last signal that was passed on. */
  get passed(): NodeJS.Signals | undefined {
    return this.#passed;
  }

  /** While some work is done, signals go to a handler instead. */
  async passingTo<Result>(handler: (signal: NodeJS.Signals) => void, work: () => Promise<Result>): Promise<Result> {
    this.#passTo = handler;
    try {
      return await work();
    } finally {
      this.#passTo = undefined;
    }
  }

  #receive(signal: NodeJS.Signals): void {
    if (this.#passTo !== undefined) {
      this.#passed = signal;
      this.#passTo(signal);
      return;
    }
    if (this.#received !== undefined) process.exit(codeOfSignal(signal));
    this.#received = signal;
    setTimeout(() => process.exit(codeOfSignal(signal)), PATIENCE_MS).unref();
    this.#controller.abort();
  }
}
