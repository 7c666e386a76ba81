/**
 * Who reserves, if a call does not say it (docs/specification.md#who-the-requester-is). The protocol up to 2025-11-25
 * has sessions: the id of one, which the client sends with each request, is the requester. No instance remembers it.
 * Since 2026-07-28 there are none, so the model has to say it.
 */
import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { HoldfastError } from '../domain/errors.ts';
import type { Credential } from '../domain/tenants.ts';
import { ToolError } from './failures.ts';

export const SESSION_HEADER = 'Mcp-Session-Id';

/** Visible ASCII, as the protocol demands of a session's id. */
const HEADER_TEXT = /^[\x21-\x7e]+$/;

/** Characters of the client's name that the requester begins with. */
const MAX_CLIENT_LENGTH = 40;
/** No vowels: the name spells nothing. */
const LETTERS = 'bcdfghjkmnpqrstvwxz23456789';
const RANDOM_LETTERS = 10;

const Named = z.object({ name: z.string() });
/** The client of a message: in initialize, or since 2026-07-28 in every request. */
const FromClient = z.object({
  params: z.object({
    clientInfo: Named.optional().catch(undefined),
    _meta: z
      .object({ 'io.modelcontextprotocol/clientInfo': Named.optional().catch(undefined) })
      .optional()
      .catch(undefined),
  }),
});

/** A requester that nobody else has: the client's name and random letters, `claude-code-7kq2mw9dfx`. */
export function newRequester(message: unknown): string {
  const { data } = FromClient.safeParse(message);
  const { clientInfo, _meta } = data?.params ?? {};
  const name = (clientInfo ?? _meta?.['io.modelcontextprotocol/clientInfo'])?.name ?? '';
  const client = name
    .replace(/[^\w.]+/g, '-')
    .replace(/^[-_.]+|[-_.]+$/g, '')
    .slice(0, MAX_CLIENT_LENGTH);
  const letters = Array.from({ length: RANDOM_LETTERS }, () => LETTERS[randomInt(LETTERS.length)]);
  return `${client || 'agent'}-${letters.join('')}`;
}

/**
 * @param session the header of a request
 * @param name checks names of requesters
 * @throws HoldfastError refused if it cannot name a requester
 */
export function checkSession(session: string | undefined, name: z.ZodType<string>): string | undefined {
  if (session === undefined) return undefined;
  if (name.safeParse(session).success && HEADER_TEXT.test(session)) return session;
  throw new HoldfastError('refused', `the header ${SESSION_HEADER} must be the one that initialize returned`);
}

/** The requester of a call's arguments, or the one that they leave out. */
export class Requester {
  readonly #message: unknown;
  readonly #session: string | undefined;
  readonly #subject: string | undefined;

  /** @param message the request that the client sent */
  constructor(message: unknown, session: string | undefined, { subject }: Credential) {
    this.#message = message;
    this.#session = session;
    this.#subject = subject;
  }

  /**
   * @param given the argument
   * @returns undefined: the call leaves it out, and nothing implies it
   * @throws HoldfastError forbidden if a derived token may not act for it
   */
  find(given: string | undefined): string | undefined {
    const subject = this.#subject;
    if (subject === undefined) return given ?? this.#session;
    if (given !== undefined && given !== subject)
      throw new HoldfastError('forbidden', `This connection acts only for "${subject}": leave the requester out.`);
    return subject;
  }

  /** As find(). @throws ToolError if nothing says it */
  need(given: string | undefined): string {
    const found = this.find(given);
    if (found !== undefined) return found;
    const free = newRequester(this.#message);
    throw new ToolError(
      `Say who you are. Call again with "requester": "${free}", and send the same requester in all your later calls: this name is unused, and other agents have other names. Nothing was done.`,
    );
  }
}
