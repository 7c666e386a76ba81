/**
 * The form that registers a resource, or gives one that is registered another definition.
 */
import { z } from 'zod';
import type { Definition } from '../../contract/definitions.ts';

/** As it is sent. */
export const RegistrationForm = z.object({
  name: z.string(),
  capacity: z.string(),
  blocks: z.string(),
  treePath: z.string(),
});

/** What somebody has typed. */
export type Typed = z.infer<typeof RegistrationForm>;

/** @returns the item of a registration that it makes, which the API is to check */
export function asRegistration({ name, capacity, blocks, treePath }: Typed): unknown {
  const names = blocks.split(/\r?\n/).filter((line) => line !== '');
  const item = { name, capacity: /^\d+$/.test(capacity) ? Number(capacity) : capacity, blocks: names };
  return { ...item, ...(treePath === '' ? {} : { treePath }) };
}

/** A definition as somebody would type it. */
export const asTyped = ({ name, capacity, blocks, treePath }: Definition): Typed => ({
  name,
  capacity: String(capacity),
  blocks: blocks.join('\n'),
  treePath: treePath ?? '',
});

export interface RegisterFormProps {
  readonly title: string;
  readonly typed?: Typed | undefined;
  /** Whether it is of a resource that there is, whose name stays. */
  readonly isKnown?: boolean;
}

export const RegisterForm = ({ title, typed, isKnown = false }: RegisterFormProps) => (
  <form method="post" action="/dashboard/resources" class="fields">
    <h2>{title}</h2>
    <label>
      Name <input name="name" required readonly={isKnown} value={typed?.name} autocomplete="off" />
    </label>
    <label>
      Capacity (slots) <input type="number" name="capacity" required min="1" value={typed?.capacity ?? '1'} />
    </label>
    <label>
      Path of what is above it, with &gt; between{' '}
      <input name="treePath" value={typed?.treePath} placeholder="House>Floor1" autocomplete="off" />
    </label>
    <label>
      Taken along (blockers), one a line{' '}
      <textarea name="blocks" rows={3}>
        {typed?.blocks}
      </textarea>
    </label>
    <button type="submit">Register</button>
  </form>
);
