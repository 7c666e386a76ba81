/**
 * A tool that a model may call (docs/specification.md#tools): its name and arguments, and the operation that it
 * stands for.
 */
import { z } from 'zod';
import { forSizes, type Rules, type Sized } from '../contract/fields.ts';
import type { Quota } from '../domain/quota.ts';
import type { Right } from '../domain/rights.ts';
import type { Credential } from '../domain/tenants.ts';
import type { Call } from '../http/call/call.ts';
import { describeFault, logFault } from '../http/errors.ts';
import type { OperationDeps } from '../operations/deps.ts';
import type { Polling } from '../operations/waiting.ts';
import { adviceOf, needsRight, ToolError } from './failures.ts';
import type { Requester } from './requester.ts';
import { sentence } from './words.ts';

export type ToolDeps = OperationDeps & Rules;

/** One call of a tool. */
export interface ToolCall {
  readonly deps: ToolDeps;
  readonly credential: Credential;
  readonly requester: Requester;
  /** Options of holding the call if it waits. */
  readonly polling: Polling;
}

/** The answer of a tool. */
export interface Answer {
  /** For models: what happened, and what to do next. */
  readonly message: string;
  /** The structured result, beside the message. */
  readonly fields: object;
  /** The call failed. */
  readonly isError?: boolean;
  readonly quota: readonly Quota[];
}

interface Definition<Input extends z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The right that its caller needs. */
  readonly right: Right;
  /** True if it may end or replace things that somebody relies on; null: it changes nothing. */
  readonly isDestructive: boolean | null;
  readonly input: Sized<Input>;
  readonly output: z.ZodObject;
  run(call: ToolCall, input: z.output<Input>): Promise<Answer>;
}

/** A JSON Schema of an object. */
const ObjectSchema = z.looseObject({ type: z.literal('object') });
type ObjectSchema = z.output<typeof ObjectSchema>;

/**
 * The JSON Schema of arguments or results. Each model reads it, so it is short. A result may get fields in the next
 * release: clients that have listed the tools before must not refuse them.
 */
const jsonSchemaOf = (schema: z.ZodType, io: 'input' | 'output'): ObjectSchema =>
  ObjectSchema.parse(
    z.toJSONSchema(schema, {
      io,
      override: ({ jsonSchema: part }) => {
        if (part.example !== undefined) part.examples = [part.example];
        delete part.example;
        if (part.format !== undefined) delete part.pattern;
        if (io === 'output' && part.additionalProperties === false) delete part.additionalProperties;
      },
    }),
  );

/** A tool of an instance, whatever it takes. */
export interface Tool {
  readonly right: Right;
  /** Its description for clients. */
  readonly shown: {
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly inputSchema: ObjectSchema;
    readonly outputSchema: ObjectSchema;
    readonly annotations: Readonly<Record<'readOnlyHint' | 'destructiveHint' | 'idempotentHint', boolean>>;
  };
  /** @throws ToolError if the arguments do not fit; whatever its operation throws */
  call(call: ToolCall, args: unknown): Promise<Answer>;
}

/** Part of the structured result too: some clients show a model nothing else. */
const message = z.string().meta({ description: 'What happened, and what to do next.' });

/** Declares a tool. It is made for the rules of an instance. */
export const tool =
  <Input extends z.ZodType>(definition: Definition<Input>) =>
  ({ sizes }: Rules): Tool => {
    const { name, title, description, right, isDestructive, output, run } = definition;
    const input = forSizes<Input>(definition.input, sizes);
    return {
      right,
      shown: {
        ...{ name, title, description },
        inputSchema: jsonSchemaOf(input, 'input'),
        outputSchema: jsonSchemaOf(z.object({ message, ...output.shape }), 'output'),
        annotations: {
          readOnlyHint: isDestructive === null,
          destructiveHint: isDestructive ?? false,
          idempotentHint: true,
        },
      },
      call: async (call, args) => {
        const { data, error } = input.safeParse(args);
        if (error !== undefined) throw new ToolError(`${sentence(describeFault(error))} Nothing was done.`);
        return run(call, data);
      },
    };
  };

/** The result of a call, as the protocol has it. */
export interface CallResult {
  [field: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

export interface Toolbox {
  /** The list for clients: only the tools that the caller may use. */
  shown(): Tool['shown'][];
  /** @returns null: there is no such tool */
  call(name: string, args: unknown): Promise<CallResult | null>;
}

/**
 * The tools that one caller may use, and its calls of them: each error becomes a text for the model.
 * @param rights what the caller may do
 */
export const makeToolbox = (
  request: Call,
  tools: readonly Tool[],
  rights: readonly Right[],
  call: ToolCall,
): Toolbox => {
  const mayUse = ({ right }: Tool) => rights.includes(right);
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
