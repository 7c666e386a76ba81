/**
 * Reads metrics as Prometheus does: each sample by its name and labels.
 */

/** `name{label="value",…}` → value */
export type Samples = ReadonlyMap<string, number>;

export function parseSamples(text: string): Samples {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

/** The names and units that a text declares: name → type. */
export const parseTypes = (text: string): ReadonlyMap<string, string> =>
  new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]));

/** The difference between two scrapes: the growth of each counter. */
export function growth(before: Samples, after: Samples): Record<string, number> {
  const grown = [...after].map(([sample, value]): [string, number] => [sample, value - (before.get(sample) ?? 0)]);
  return Object.fromEntries(grown.filter(([, by]) => by !== 0));
}
