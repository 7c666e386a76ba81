/**
 * The form that registers a resource or changes its definition.
 */
import { z } from 'zod';
import type { Definition } from '../../contract/definitions.ts';

/** The form as it is sent. */
export const RegistrationForm = z.object({
  name: z.string(),
  capacity: z.string(),
  blocks: z.string(),
  treePath: z.string(),
});

/** The text of each field. */
export type Typed = z.infer<typeof RegistrationForm>;

/** The registration item that a form describes, not checked yet. */
export function asRegistration({ name, capacity, blocks, treePath }: Typed): unknown {
  const names = blocks.split(/\r?\n/).filter((line) => line !== '');
  const item = { name, capacity: /^\d+$/.test(capacity) ? Number(capacity) : capacity, blocks: names };
  return { ...item, ...(treePath === '' ? {} : { treePath }) };
}

/** A definition as the text of each field. */
export const asTyped = ({ name, capacity, blocks, treePath }: Definition): Typed => ({
  name,
  capacity: String(capacity),
  blocks: blocks.join('\n'),
  treePath: treePath ?? '',
});

export interface RegisterFormProps {
  readonly title: string;
  readonly typed?: Typed | undefined;
  /** Whether the resource is registered already; its name then stays. */
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
      Tree path: its ancestors from the root, separated by &gt;{' '}
      <input name="treePath" value={typed?.treePath} placeholder="House>Floor1" autocomplete="off" />
    </label>
    <label>
      Blockers (acquired along with it), one a line{' '}
      <textarea name="blocks" rows={3}>
        {typed?.blocks}
      </textarea>
    </label>
    <button type="submit">Register</button>
  </form>
);
