/**
 * Stands for the database of worker.mjs. It refuses a fencing token lower than the highest that it has seen.
 * docs/concepts/fencing.md explains why.
 */
const reports = new Map();

/**
 * In SQL: UPDATE reports SET text = $2, fence = $3 WHERE name = $1 AND fence <= $3. No row: somebody else has it by now.
 */
export async function saveReport(name, text, fence) {
  if (fence < (reports.get(name)?.fence ?? 0)) throw new Error(`${name} has been written by a later holder`);
  reports.set(name, { text, fence });
  return text;
}

export async function tidyUp() {
  reports.clear();
}
