/**
 * Reads a large form completely before the dashboard parses it. The limits of unknown callers apply, since the session
 * is not verified yet.
 */
import { createMiddleware } from 'hono/factory';
import { wholeBody } from './call/body.ts';
import type { AppEnv } from './env.ts';

/** @param maxBytes a larger form is not read: the dashboard refuses it if it declares its length */
export const wholeForm = (maxBytes: number) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const { incoming } = c.env;
    if (incoming.readBody === undefined || Number(c.req.header('Content-Length') ?? 0) > maxBytes) return next();
    incoming.rawBody = await wholeBody(incoming.readBody(undefined, maxBytes), maxBytes);
    await next();
  });
