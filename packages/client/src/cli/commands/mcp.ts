/** `holdfast mcp`: the tools for agents over stdio, for clients of the Model Context Protocol that know only that. */
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { type Command, REQUESTER_OPTION, URL_OPTION } from '../command.ts';
import { serviceOf } from '../connect.ts';
import { EXIT, usageError } from '../exitCodes.ts';
import { print } from '../output.ts';

/** Longest time for which calls in flight may still be answered once the client has closed stdin, in ms. */
const LAST_ANSWERS_MS = 2000;

export const mcp: Command = {
  name: 'mcp',
  summary: 'Serves the tools for agents over stdio (Model Context Protocol)',
  synopsis: 'mcp [options]',
  details: `\
A client of the Model Context Protocol starts it: it passes each line on stdin to /mcp of the service, and prints
the answer. Each start is a requester of its own, unless --requester or HOLDFAST_REQUESTER names one.`,
  options: [REQUESTER_OPTION, URL_OPTION],
  examples: ['holdfast mcp', 'holdfast mcp --url https://holdfast.example.com'],
  positionals: { min: 0, max: 0 },
  run: async ({ args, signal }) => {
    const { url, key, requester } = await serviceOf({ args, signal });
    if (requester !== undefined && !/^[\x21-\x7e]+$/.test(requester))
      throw usageError('mcp takes a requester of visible ASCII characters');
    const bridge = new Bridge({ url, key, requester, ownName: `agent-${randomUUID().slice(0, 8)}`, write: print });
    const lines = createInterface({ input: process.stdin });
    signal.addEventListener('abort', () => lines.close());
    for await (const line of lines) bridge.receive(line);
    await bridge.end(signal.aborted ? 0 : LAST_ANSWERS_MS);
    return EXIT.done;
  },
};

/**
 * Passes messages of the Model Context Protocol on to /mcp of the service, each as a request of its own, and writes the
 * answers. It knows no tools: those of the service's version are served.
 */
interface BridgeOptions {
  readonly url: string;
  readonly key: string | (() => string | Promise<string>);
  /** Who reserves; undefined: the session that the service names. */
  readonly requester: string | undefined;
  /** Who reserves if the service names no session: the protocol has none since 2026-07-28. */
  readonly ownName: string;
  /** Writes one line. */
  readonly write: (line: string) => void;
}

/** The fields of messages that a transport has to know. */
interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly name?: unknown;
    readonly requestId?: string | number;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
  readonly result?: { readonly protocolVersion?: unknown };
  readonly error?: unknown;
}

const SESSION = 'Mcp-Session-Id';
const VERSION_FIELD = 'io.modelcontextprotocol/protocolVersion';

const PARSE_ERROR = -32_700;
const SERVER_ERROR = -32_000;

/** Text of another sender, as a message. Its fields are looked at one by one, and sent on as they are. */
function parse(text: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

class Bridge {
  readonly #options: BridgeOptions;
  readonly #endpoint: string;
  /** Calls in flight, by the id of their request. */
  readonly #calls = new Map<string | number, AbortController>();
  readonly #pending = new Set<Promise<void>>();
  #session: string;
  #version: string | undefined;

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#endpoint = `${options.url.replace(/\/+$/, '')}/mcp`;
    this.#session = options.requester ?? options.ownName;
  }

  /** Takes one line from the client. */
  receive(line: string): void {
    if (line.trim() === '') return;
    const message = parse(line);
    if (message === undefined) {
      this.#write({ id: null, error: { code: PARSE_ERROR, message: 'the line is not one message of JSON-RPC' } });
      return;
    }
    const { requestId } = message.params ?? {};
    if (message.method === 'notifications/cancelled' && requestId !== undefined) {
      // The service notices that its caller has gone, and grants it nothing.
      this.#calls.get(requestId)?.abort();
      return;
    }
    const call = this.#call(line, message).finally(() => this.#pending.delete(call));
    this.#pending.add(call);
  }

  /** Waits for the calls in flight, then ends them. */
  async end(withinMs: number): Promise<void> {
    const timer = setTimeout(() => {
      for (const call of this.#calls.values()) call.abort();
    }, withinMs);
    await Promise.all(this.#pending);
    clearTimeout(timer);
  }

  async #call(line: string, message: Message): Promise<void> {
    const { id } = message;
    const call = new AbortController();
    if (id !== undefined) this.#calls.set(id, call);
    try {
      const headers = await this.#headersOf(message);
      const response = await fetch(this.#endpoint, { method: 'POST', headers, body: line, signal: call.signal });
      const text = await response.text();
      if (message.method === 'initialize') this.#begin(response, parse(text));
      if (id !== undefined) this.#answer(id, response, text);
    } catch (error) {
      if (id !== undefined && !call.signal.aborted) this.#fail(id, whyUnreachable(error));
    } finally {
      if (id !== undefined) this.#calls.delete(id);
    }
  }

  async #headersOf({ method, params }: Message): Promise<Record<string, string>> {
    const { key } = this.#options;
    const version = params?._meta?.[VERSION_FIELD] ?? this.#version;
    return {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'X-Api-Key': typeof key === 'string' ? key : await key(),
      [SESSION]: this.#session,
      ...(typeof version === 'string' ? { 'MCP-Protocol-Version': version } : {}),
      ...(method === undefined ? {} : { 'Mcp-Method': method }),
      ...(typeof params?.name === 'string' && /^[\x21-\x7e]+$/.test(params.name) ? { 'Mcp-Name': params.name } : {}),
    };
  }

  /** Takes the session and the version of the protocol from the answer to initialize. */
  #begin({ headers }: Response, answer: Message | undefined): void {
    const version = answer?.result?.protocolVersion;
    if (typeof version === 'string') this.#version = version;
    this.#session = this.#options.requester ?? headers.get(SESSION) ?? this.#session;
  }

  #answer(id: string | number, { status }: Response, text: string): void {
    const answer = parse(text);
    // A request that failed as a whole: its answer names no id.
    if (answer !== undefined && 'jsonrpc' in answer) this.#write({ ...answer, id: answer.id ?? id });
    // An instance that has too much to do refuses requests before it looks at their path.
    else if (typeof answer?.error === 'string') this.#fail(id, answer.error);
    else this.#fail(id, `The service answered ${status}: is HOLDFAST_URL the address of Holdfast?`);
  }

  #fail(id: string | number, message: string): void {
    this.#write({ id, error: { code: SERVER_ERROR, message } });
  }

  #write(answer: object): void {
    this.#options.write(JSON.stringify({ jsonrpc: '2.0', ...answer }));
  }
}

/** Neither the address nor the key. */
function whyUnreachable(error: unknown): string {
  const { cause } = error instanceof Error ? error : { cause: undefined };
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  return `The service could not be reached${code}. Repeating the same call is safe.`;
}
