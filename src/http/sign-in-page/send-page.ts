/** Sends the pages of the server for people who sign in, in the name and colours of the app. */
import type { FastifyReply } from 'fastify';
import { Html, html } from '../../base/html.js';
import { redirectSource } from '../../catalog/definitions/web-addresses.js';
import { failure } from '../../errors/error.js';
import type { App } from '../../session/contract.js';
import type { Context } from '../base/context.js';
import { sendPage } from '../response/send-page.js';

export interface AuthPage {
  /** The address of `/auth`, as seen from the page: `..`. */
  readonly root: string;
  readonly title: string;
  readonly content: Html;
}

/** Leads on to an app, a provider or another page, with a code or an error. */
export function leadOn(reply: FastifyReply, location: string): FastifyReply {
  reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', location });
  return reply.code(303).send();
}

const ACCENT = '#2456a6';

/** @throws TesseraError `route_missing` where the pages haven't been built */
export function sendAuthPage(
  { authPage, environment }: Context,
  reply: FastifyReply,
  { config, redirects }: App,
  { root, title, content }: AuthPage,
): FastifyReply {
  if (authPage === undefined) throw failure('route_missing');
  const accent = config?.color ?? ACCENT;
  const logo = config?.logo === undefined ? undefined : html`<img class="logo" src="${config.logo}" alt="">`;
  const colors = `:root { --accent: ${accent}; --on-accent: ${isLight(accent) ? '#000' : '#fff'}; }`;
  const texts = (nonce: string) => ({
    root,
    title: html`${title}`.text,
    colors: html`<style nonce="${nonce}">${new Html(colors)}</style>`.text,
    content: html`${logo}${content}`.text,
  });
  // Browsers hold the redirect that follows a form to the same rule.
  const formTargets = [...new Set(redirects.map(redirectSource))];
  return sendPage(reply, authPage, environment.random, texts, { formTargets });
}

/** Whether black is easier to read on a colour than white is (WCAG 2.2, relative luminance). */
function isLight(color: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  // Where both are equally far from it.
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
}
