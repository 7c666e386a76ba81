/**
 * SIGTERM and SIGINT, obeyed from the first moment, also by a process that is the first of its container: until there
 * is something to end in good order, the process exits at once.
 */
import { constants } from 'node:os';

type Signal = 'SIGTERM' | 'SIGINT';

const exitAtOnce = (signal: Signal): void => process.exit(128 + constants.signals[signal]);
let obey = exitAtOnce;

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.on(signal, () => {
    const act = obey;
    // Whoever asks twice will not wait.
    obey = exitAtOnce;
    act(signal);
  });

/** Does something else at the next signal. */
export function onSignal(act: (signal: Signal) => void): void {
  obey = act;
}
