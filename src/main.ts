/**
 * Runs the service as the environment configures it. Signal handlers are in place before anything else is loaded.
 */
import './signals.ts';

try {
  const [{ readConfig }, { run }] = await Promise.all([import('./config/config.ts'), import('./serve.ts')]);
  await run(readConfig(process.env));
} catch (error) {
  // One line without a stack: the operator has to change the configuration, not the code.
  process.stderr.write(`holdfast: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
