/**
 * Loaded before the service, it counts the promises that the service makes. The first SIGUSR2 starts the count. The
 * second writes it to the file PROMISES: all of them, and `ours`, which code of src made and no package. It needs
 * --enable-source-maps.
 */
import { createHook } from 'node:async_hooks';
import { renameSync, writeFileSync } from 'node:fs';

const stacks = [];
Error.stackTraceLimit = 20;
const hook = createHook({
  init(_, type) {
    if (type === 'PROMISE') stacks.push(new Error().stack ?? '');
  },
});

/** Returns whether the innermost frame that is not Node's own is of this project's sources. */
function isOurs(stack) {
  const frames = stack.split('\n').slice(1);
  const maker = frames.find(
    (frame) => !frame.includes('node:') && !frame.includes('countPromises') && !frame.includes('(<anonymous>)'),
  );
  return maker !== undefined && !maker.includes('node_modules');
}

let isCounting = false;
process.on('SIGUSR2', () => {
  isCounting = !isCounting;
  if (isCounting) return hook.enable();
  hook.disable();
  const counts = { all: stacks.length, ours: stacks.filter(isOurs).length };
  writeFileSync(`${process.env.PROMISES}.part`, JSON.stringify(counts));
  renameSync(`${process.env.PROMISES}.part`, process.env.PROMISES);
});
