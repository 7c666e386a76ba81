/** Functions of a reader's own program that examples call (blocks marked `ts check`). */
declare function print(file: string, options: { signal: AbortSignal; fence: number }): Promise<void>;
declare function test(name: string): Promise<void>;
declare function deploy(): Promise<void>;
declare function dueJobs(options: { signal: AbortSignal }): AsyncIterable<string>;
declare function startJob(job: string, options: { signal: AbortSignal; fence: number }): Promise<void>;

/** Of an earlier block of the leader election guide. */
declare function elect(stop: AbortSignal, lead: (signal: AbortSignal, fence: number) => Promise<void>): Promise<void>;
declare const sleep: typeof import('node:timers/promises').setTimeout;
