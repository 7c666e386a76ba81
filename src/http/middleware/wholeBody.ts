/**
 * Has a large form in whole before the dashboard reads it: within the same bounds as every body, since nobody is known
 * to be signed in yet.
 */
import { createMiddleware } from 'hono/factory';
import type { AppEnv } from '../env.ts';
import { bodyOrFailure } from './jsonBody.ts';

/** @param maxBytes larger forms are left to the dashboard, which refuses them unread if they declare their length */
export const wholeBody = (maxBytes: number) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const { incoming } = c.env;
    if (incoming.readBody === undefined || Number(c.req.header('Content-Length') ?? 0) > maxBytes) return next();
    const body = await bodyOrFailure(c, maxBytes, incoming.readBody(undefined, maxBytes));
    if (body instanceof Response) return body;
    incoming.rawBody = body;
    await next();
  });
