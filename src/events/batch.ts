/**
 * Messages of a tenant as they are published (lua/lib/publish.lua): number, publisher, and events as streams send them.
 */
export interface Message {
  readonly number: number;
  /** The Redis process that published it. */
  readonly publisher: string;
  readonly frames: Buffer;
}

/** What came in one turn of the event loop. */
export interface Batch {
  readonly messages: readonly Message[];
  /** Whether each has the number after that of the one before, and the same publisher. */
  readonly isUnbroken: boolean;
  /** The frames of all of them. */
  readonly frames: Buffer;
}

const NEWLINE = 10;
const HEAD = /^(\d+) (\w*)$/;

/**
 * @param payload `<number> <publisher>\n<frames>`; what has another form has no number that could follow another one
 */
export function parseMessage(payload: Buffer): Message {
  const end = payload.indexOf(NEWLINE);
  const [, number = Number.NaN, publisher = ''] = HEAD.exec(payload.toString('latin1', 0, Math.max(0, end))) ?? [];
  return { number: Number(number), publisher, frames: payload.subarray(end + 1) };
}

export function toBatch(messages: readonly Message[]): Batch {
  const [first] = messages;
  return {
    messages,
    isUnbroken: messages.every(
      ({ number, publisher }, i) => number === (first?.number ?? 0) + i && publisher === first?.publisher,
    ),
    frames:
      messages.length === 1 && first !== undefined ? first.frames : Buffer.concat(messages.map(({ frames }) => frames)),
  };
}
