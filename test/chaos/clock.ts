/** The clock of a campaign: it is not moved when a fault steps the clock of a server. */

/** Returns the time in ms since 1970, with fractions. */
export const now = (): number => performance.timeOrigin + performance.now();
