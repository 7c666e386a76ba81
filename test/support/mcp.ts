/**
 * Agents: the official client of the Model Context Protocol, connected to an instance.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { z } from 'zod';

export interface Agent {
  readonly client: Client;
  /** Calls a tool. Arguments that are refused make no error here: see isError. */
  call(name: string, args?: Record<string, unknown>): Promise<ToolResult>;
  close(): Promise<void>;
}

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface AgentOptions {
  readonly name?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The revision without sessions; the default is that with them. */
  readonly isModern?: boolean;
}

/** @param at the instance, or its address and a key */
export async function startAgent(
  { url, key }: { readonly url: string; readonly key: string },
  { name = 'test-agent', headers = { Authorization: `Bearer ${key}` }, isModern = false }: AgentOptions = {},
): Promise<Agent> {
  const versionNegotiation = { mode: isModern ? 'auto' : 'legacy' } as const;
  const client = new Client({ name, version: '1.0.0' }, { versionNegotiation });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }));
  return agentOf(client);
}

/** @param client is connected */
export const agentOf = (client: Client): Agent => ({
  client,
  call: (tool, args = {}) => callTool(client, tool, args),
  close: () => client.close(),
});

async function callTool(client: Client, name: string, args: Record<string, unknown> = {}): Promise<ToolResult> {
  const { content, isError = false, structuredContent } = await client.callTool({ name, arguments: args });
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  return { text, isError, data: Data.parse(structuredContent) };
}

const Data = z.record(z.string(), z.unknown()).default({});

const HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

export interface RpcAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: { readonly error?: { code: number; message: string; data?: unknown }; readonly result?: unknown };
}

/** Sends one message as it is. A header that is empty is left out. */
export async function post(
  { url, key }: { readonly url: string; readonly key: string },
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<RpcAnswer> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: Object.entries({ ...HEADERS, 'X-Api-Key': key, ...headers }).filter(([, value]) => value !== ''),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === '' ? {} : JSON.parse(text) };
}

export const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });

/** The parameters of initialize. */
export const HELLO = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
