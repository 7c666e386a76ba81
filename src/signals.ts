/**
 * Handles SIGTERM and SIGINT from the first moment, also in a process that is PID 1 of its container. The process exits
 * at once until it sets a handler of its own with onSignal().
 */
import { constants } from 'node:os';

type Signal = 'SIGTERM' | 'SIGINT';

const exitAtOnce = (signal: Signal): void => process.exit(128 + constants.signals[signal]);
let handler = exitAtOnce;

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.on(signal, () => {
    const act = handler;
    // A second signal ends the process without waiting.
    handler = exitAtOnce;
    act(signal);
  });

/** Sets what the next signal does. */
export function onSignal(act: (signal: Signal) => void): void {
  handler = act;
}
