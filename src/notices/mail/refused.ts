/** The server refused a message or its address. Its words are not for people: they may name others. */
export class MailRefused extends Error {
  /** The SMTP status, such as 550. */
  readonly status: number;

  constructor(status: number, cause: unknown) {
    super(`The mail server refused the message with status ${status}.`, { cause });
    this.status = status;
  }

  /** True if it is of no use to try again. */
  get isFinal(): boolean {
    return this.status >= 500;
  }
}
