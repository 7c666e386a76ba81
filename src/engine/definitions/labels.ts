/**
 * Encodes and decodes labels for scripts, which know them as sorted lines `<key>=<value>`.
 */

/** Key → value. */
export type Labels = Readonly<Record<string, string>>;

/** @returns each label followed by '\n'; '\n' for none */
export const encodeLabels = (labels: Labels): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}\n`)
    .sort()
    .join('') || '\n';

export const decodeLabels = (lines: readonly string[]): Labels =>
  Object.fromEntries(
    lines.map((line) => {
      const end = line.indexOf('=');
      return [line.slice(0, end), line.slice(end + 1)];
    }),
  );
