/**
 * Runs the service as the environment configures it. Its parts are loaded only when signals are obeyed.
 */
import './signals.ts';

try {
  const [{ readConfig }, { run }] = await Promise.all([import('./config/config.ts'), import('./serve.ts')]);
  await run(readConfig(process.env));
} catch (error) {
  // One line for whoever started it: the stack is ours, not theirs.
  process.stderr.write(`holdfast: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
