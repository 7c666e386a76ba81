/**
 * Waits for a condition. Tests never just sleep.
 * @param label names the condition in the error
 * @param withinMs the deadline: generous, since it costs nothing in a test that passes
 */
export async function until<T>(
  label: string,
  condition: () => Promise<T> | T,
  withinMs = 30_000,
): Promise<NonNullable<T>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms for: ${label}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
