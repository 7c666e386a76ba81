/**
 * Where the servers of the tests run: in a container if an engine can run one, else as a process of the tests.
 */
import { getContainerRuntimeClient } from 'testcontainers';

export interface TestServer {
  /** For the line that says what the tests run on. */
  readonly what: string;
  readonly url: string;
  readonly stop: () => Promise<unknown>;
}

/**
 * Starts a server.
 * @param title of the server, for messages
 * @param contained starts it in a container
 * @param own starts it as a process: without an engine, or if the engine cannot run the container, which is then told
 */
export async function containedOrOwn(
  title: string,
  contained: () => Promise<TestServer>,
  own: () => Promise<TestServer>,
): Promise<TestServer> {
  const hasEngine = await getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
  if (!hasEngine) return own();
  try {
    return await contained();
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n');
    process.stdout.write(`The container engine cannot run ${title} (${reason})\n`);
    return own();
  }
}
