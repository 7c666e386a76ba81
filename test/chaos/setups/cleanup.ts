/** Deletes what a campaign leaves on the machine, even if the campaign is killed. */
import { spawn } from 'node:child_process';

/**
 * Starts a shell that does so when its input ends, because this process has ended or says so.
 * @param folder of data and logs. Processes may write to it until their own guards have killed them
 * @param removal a command that removes what else there is, such as a network
 * @returns has it done, and resolves when it is done
 */
export function startCleanup(folder: string, removal = 'true'): () => Promise<void> {
  const script = `cat; ${removal}; rm -rf "$0" || { sleep 2; rm -rf "$0"; }`;
  const child = spawn('sh', ['-c', script, folder], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.unref();
  if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref();
  return () => {
    child.ref();
    child.stdin.end();
    return exited;
  };
}
