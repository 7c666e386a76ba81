/**
 * The tools that one caller may use, and its calls of them: each error becomes a text for the model.
 */
import type { Context } from 'hono';
import type { Right } from '../domain/rights.ts';
import { logFault } from '../http/logFault.ts';
import type { McpEnv } from './env.ts';
import { adviceOf, needsRight } from './failures.ts';
import type { Tool, ToolCall } from './tool.ts';

/** The result of a call, as the protocol has it. */
export interface CallResult {
  [field: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

export interface Toolbox {
  /** What clients see: only the tools that the caller may use. */
  shown(): Tool['shown'][];
  /** @returns null: there is no such tool */
  call(name: string, args: unknown): Promise<CallResult | null>;
}

/** @param rights what the caller may do */
export const makeToolbox = (
  c: Context<McpEnv>,
  tools: readonly Tool[],
  rights: readonly Right[],
  call: ToolCall,
): Toolbox => {
  const isToken = call.credential.kind === 'token';
  const mayUse = ({ right }: Tool) => rights.includes(right) && !(isToken && right === 'define');
  return {
    shown: () => tools.filter(mayUse).map(({ shown }) => shown),
    call: async (name, args) => {
      const tool = tools.find(({ shown }) => shown.name === name);
      if (tool === undefined) return null;
      if (!mayUse(tool)) return failed(needsRight(name, tool.right));
      try {
        const { message, fields, isError, quota } = await tool.call(call, args);
        c.set('quota', quota);
        const structuredContent = { message, ...fields };
        return { content: [{ type: 'text', text: message }], structuredContent, ...(isError ? { isError } : {}) };
      } catch (error) {
        return failed(noteFailure(c, error));
      }
    },
  };
};

const failed = (text: string): CallResult => ({ content: [{ type: 'text', text }], isError: true });

/** Lets the middleware see the error, for metrics and headers. @returns the text for the model */
function noteFailure(c: Context<McpEnv>, error: unknown): string {
  if (error instanceof Error) c.error = error;
  const text = adviceOf(error);
  if (text !== null) return text;
  const requestId = c.get('requestId');
  logFault(c, error, 'request failed');
  return `Internal error of the service (request ${requestId}). The call may or may not have been carried out. Repeating the same call is safe.`;
}
