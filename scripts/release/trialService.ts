/** A service to try clients at: that of `npm start`, with a key. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { freePort } from '../freePort.ts';
import { waitUntilReady } from './ready.ts';

const START = fileURLToPath(new URL('../start.ts', import.meta.url));
/** The key of services that are tried. */
export const KEY = `hf_local_${'release'.repeat(6)}`;
/** The variable by which a service has it. */
export const API_KEYS = JSON.stringify([{ key: KEY, tenant: 'local', tier: 'Pro' }]);

export interface TrialService {
  /** The variables by which clients find it. */
  readonly env: Readonly<Record<'HOLDFAST_URL' | 'HOLDFAST_KEY', string>>;
  stop(): void;
}

/**
 * Starts the service of these sources, and waits until it is ready.
 * @throws Error if it is not in time
 */
export async function startTrialService(): Promise<TrialService> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, PORT: String(port), METRICS_PORT: String(await freePort()), API_KEYS };
  const child = spawn(process.execPath, ['--import', 'tsx', START], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const stop = () => void child.kill();
  process.once('exit', stop);
  await waitUntilReady(url, 'the service');
  return { env: { HOLDFAST_URL: url, HOLDFAST_KEY: KEY }, stop };
}
