/**
 * Messages of a tenant as they are published: a number, and events as streams send them.
 */
export interface Message {
  /** null: an instance of the version before published it, which numbers nothing */
  readonly number: number | null;
  readonly frames: Buffer;
}

/** What came in one turn of the event loop. */
export interface Batch {
  readonly messages: readonly Message[];
  /** Whether each has the number after that of the one before. */
  readonly isUnbroken: boolean;
  /** The frames of all of them. */
  readonly frames: Buffer;
}

const NEWLINE = 10;

/** @param payload `<number>\n<frames>` */
export function parseMessage(payload: Buffer): Message {
  const end = payload.indexOf(NEWLINE);
  const text = payload.toString('latin1', 0, Math.max(0, end));
  return /^\d+$/.test(text)
    ? { number: Number(text), frames: payload.subarray(end + 1) }
    : { number: null, frames: payload };
}

export function toBatch(messages: readonly Message[]): Batch {
  const [first] = messages;
  return {
    messages,
    isUnbroken: messages.every(({ number }, i) => number !== null && number === (first?.number ?? 0) + i),
    frames:
      messages.length === 1 && first !== undefined ? first.frames : Buffer.concat(messages.map(({ frames }) => frames)),
  };
}
