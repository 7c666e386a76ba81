/**
 * The token of the link that signs in on this machine (docs/specification.md#dashboard-and-sign-in). Only the terminal
 * of the start shows it, so whoever has it may use the service's machine.
 */
import { digestOf, makeSecret } from './credentials.ts';

/** A token that works once. Taking it makes the next one. */
export class OneTimeToken {
  #current = makeSecret();
  #tell = (_next: string) => {};

  get current(): string {
    return this.#current;
  }

  /** @param tell called with each token that replaces another */
  onNext(tell: (next: string) => void): void {
    this.#tell = tell;
  }

  /** Whether a token could be taken. Digests are compared, so that the time tells nothing about the token. */
  isCurrent(token: string): boolean {
    return digestOf(token) === digestOf(this.#current);
  }

  /** @returns whether the token was the current one */
  take(token: string): boolean {
    if (!this.isCurrent(token)) return false;
    this.#current = makeSecret();
    this.#tell(this.#current);
    return true;
  }
}
