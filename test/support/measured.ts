/**
 * The service in a process that says how much memory it takes, after a garbage collection, when it is sent a message.
 */
import '../../src/main.ts';

process.on('message', () => {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send?.({ heapUsed, external, rss });
});
