/**
 * The form that registers a resource or changes its definition.
 */
import { z } from 'zod';
import type { Definition } from '../../contract/definitions.ts';
import { labelTexts } from '../rows.ts';

/** The form as it is sent. */
export const RegistrationForm = z.object({
  name: z.string(),
  capacity: z.string(),
  blocks: z.string(),
  treePath: z.string(),
  labels: z.string(),
  group: z.string().optional(),
});

/** The text of each field. */
export type Typed = z.infer<typeof RegistrationForm>;

/** The registration item that a form describes, not checked yet. */
export function asRegistration({ name, capacity, blocks, treePath, labels, group }: Typed): unknown {
  const isGroup = group !== undefined;
  const slots = /^\d+$/.test(capacity) ? Number(capacity) : capacity;
  const pairs = linesOf(labels).map((line): [string, string] => {
    const end = line.indexOf('=');
    return end < 0 ? [line, ''] : [line.slice(0, end), line.slice(end + 1)];
  });
  const item = { name, blocks: linesOf(blocks), labels: Object.fromEntries(pairs), group: isGroup };
  return { ...item, ...(isGroup ? {} : { capacity: slots }), ...(treePath === '' ? {} : { treePath }) };
}

const linesOf = (text: string) => text.split(/\r?\n/).filter((line) => line !== '');

/** A definition as the text of each field. */
export const asTyped = ({ name, capacity, blocks, treePath, labels = {} }: Definition): Typed => ({
  name,
  capacity: String(capacity ?? 1),
  blocks: blocks.join('\n'),
  treePath: treePath ?? '',
  labels: labelTexts(labels).join('\n'),
  ...(capacity === null ? { group: 'true' } : {}),
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
    <label class="check">
      <input type="checkbox" name="group" value="true" checked={typed?.group !== undefined} /> A group: it takes no
      slots, and only groups what is below it
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
    <label>
      Labels (key=value), one a line{' '}
      <textarea name="labels" rows={3} placeholder="os=android">
        {typed?.labels}
      </textarea>
    </label>
    <button type="submit">Register</button>
  </form>
);
