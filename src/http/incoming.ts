/**
 * A request as Node receives it, with its body as far as admission has let it in. A small body is whole before the
 * application sees the request; a large one is read only when somebody asks for it, so that the caller's key can be
 * verified first.
 */
import { IncomingMessage } from 'node:http';

export class Incoming extends IncomingMessage {
  /** The whole body; undefined if there is none, or it is large. node-server takes it from here too. */
  rawBody: Buffer | undefined;
  /**
   * Reads a large body. To be called once.
   * @param tenant whose key was verified; undefined: nobody's, so the caller's address has to do
   * @param maxBytes the most that it may be
   * @throws BodyError
   */
  readBody: ((tenant: string | undefined, maxBytes: number) => Promise<Buffer>) | undefined;
}
