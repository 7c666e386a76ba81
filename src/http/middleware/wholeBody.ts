/**
 * Reads a large form completely before the dashboard parses it. The limits of unknown callers apply, since the session
 * is not verified yet.
 */
import { createMiddleware } from 'hono/factory';
import type { AppEnv } from '../env.ts';
import { bodyOrFailure } from './jsonBody.ts';

/** @param maxBytes a larger form is not read: the dashboard refuses it if it declares its length */
export const wholeBody = (maxBytes: number) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const { incoming } = c.env;
    if (incoming.readBody === undefined || Number(c.req.header('Content-Length') ?? 0) > maxBytes) return next();
    const body = await bodyOrFailure(c, maxBytes, incoming.readBody(undefined, maxBytes));
    if (body instanceof Response) return body;
    incoming.rawBody = body;
    await next();
  });
