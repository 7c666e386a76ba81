/**
 * The header that tells a caller which ancestors were registered along with its resources, and how
 * (docs/specification.md#registration). They have capacity 1, which surprises callers that wanted a folder.
 */
import type { Definition } from '../contract/definitions.ts';

export const NOTE_HEADER = 'Holdfast-Note';

/** Maximum number of bytes of the notes, not counting the last one, which says how many more there are. */
const MAX_BYTES = 2048;

/**
 * @param sent the items of the request
 * @param stored the definitions as stored
 * @returns null if no ancestor was registered
 */
export function noteOf(sent: readonly { readonly name: string }[], stored: readonly Definition[]): string | null {
  const names = new Set(sent.map(({ name }) => name));
  const ancestors = stored.filter(({ name }) => !names.has(name));
  const notes: string[] = [];
  let bytes = 0;
  for (const { name, capacity } of ancestors) {
    const note = `${quote(name)} was registered ${capacity === null ? 'as a group' : `with capacity ${capacity}`}`;
    bytes += note.length + 2;
    if (bytes > MAX_BYTES) break;
    notes.push(note);
  }
  if (notes.length < ancestors.length) notes.push(`and ${ancestors.length - notes.length} more`);
  return notes.length === 0 ? null : notes.join(', ');
}

/** Quotes a name. A header has visible ASCII and spaces only, so other characters are percent-encoded UTF-8. */
const quote = (name: string) => `"${name.replace(/[^ -~]|["%]/gu, encodeURIComponent)}"`;
