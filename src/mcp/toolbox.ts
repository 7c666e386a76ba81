/**
 * The tools that one caller may use, and its calls of them: each error becomes a text for the model.
 */
import type { Right } from '../domain/rights.ts';
import type { Call } from '../http/call/call.ts';
import { logFault } from '../http/errors.ts';
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
  request: Call,
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
        request.quota = quota;
        const structuredContent = { message, ...fields };
        return { content: [{ type: 'text', text: message }], structuredContent, ...(isError ? { isError } : {}) };
      } catch (error) {
        return failed(noteFailure(request, error));
      }
    },
  };
};

const failed = (text: string): CallResult => ({ content: [{ type: 'text', text }], isError: true });

/** Notes the error for metrics and headers. @returns the text for the model */
function noteFailure(request: Call, error: unknown): string {
  request.error = error;
  const text = adviceOf(error);
  if (text !== null) return text;
  logFault(request, error, 'request failed');
  return `Internal error of the service (request ${request.requestId}). The call may or may not have been carried out. Repeating the same call is safe.`;
}
