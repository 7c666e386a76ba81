/** The commands of the program of a client: README.md. */
import { z } from 'zod';
import type { Match, ReserveOptions } from '../../packages/client/src/index.ts';

/** Options as a caller writes them: whether they make sense is for the client to say. */
const Options = z
  .custom<Omit<ReserveOptions, 'signal' | 'onWaiting' | 'onEndFixed'>>((value) => value instanceof Object)
  .default({});
const Wanted = {
  id: z.number(),
  target: z.union([z.string(), z.array(z.string())]).optional(),
  options: Options,
};
const Reserve = { ...Wanted, session: z.number().optional() };
const Of = { id: z.number(), of: z.number() };
const Duration = z.custom<NonNullable<ReserveOptions['ttl']>>((value) => typeof value === 'string');

export const Command = z.discriminatedUnion('do', [
  z.object({ do: z.literal('using'), ...Wanted, work: z.enum(['look', 'spin', 'blind']).default('look') }),
  z.object({ do: z.literal('finish'), ...Of, fail: z.boolean().default(false) }),
  z.object({ do: z.literal('cancel'), ...Of }),
  z.object({ do: z.literal('reserve'), ...Reserve }),
  z.object({ do: z.literal('tryReserve'), ...Reserve }),
  z.object({ do: z.literal('look'), ...Of }),
  z.object({ do: z.literal('renew'), ...Of, ttl: Duration.optional() }),
  z.object({ do: z.literal('release'), ...Of }),
  z.object({ do: z.literal('show'), ...Of }),
  z.object({
    do: z.literal('session'),
    id: z.number(),
    options: z.object({ ttl: Duration.optional() }).default({}),
  }),
  z.object({ do: z.literal('end'), ...Of }),
  z.object({
    do: z.literal('events'),
    id: z.number(),
    types: z.array(z.enum(['RESERVED', 'UNRESERVED'])).optional(),
  }),
  z.object({ do: z.literal('mirror'), id: z.number() }),
  z.object({ do: z.literal('mirrored'), ...Of }),
  z.object({ do: z.literal('fork'), ...Of, target: z.string() }),
]);
export type Command = z.infer<typeof Command>;
export type CommandOf<Do extends Command['do']> = Extract<Command, { do: Do }>;

/** The target and the options of a call: a match among the options stands for itself. */
export const wishOf = ({ target, options }: Pick<CommandOf<'using'>, 'target' | 'options'>) => ({
  target: target ?? { match: options.match ?? ({} satisfies Match) },
  options,
});
