/** An address of Redis as ioredis takes it: a path for `unix://<path>`, any other address as it is. */
export const redisAddress = (url: string): string => (url.startsWith('unix://') ? url.slice('unix://'.length) : url);
