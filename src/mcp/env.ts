/** The message of a request, as middleware passes it on. */
import { z } from 'zod';
import type { AppEnv } from '../http/env.ts';

/** One message of JSON-RPC. The SDK checks the rest. */
export const Message = z.looseObject({ method: z.string().optional() }, 'must be one message of JSON-RPC');
export type Message = z.output<typeof Message>;

export type McpEnv = AppEnv & { Variables: { body: Message } };
