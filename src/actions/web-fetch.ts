import * as z from 'zod/mini';
import {failed, ok} from '../base/outcome.ts';
import {byKind, type ByKind, unreachable} from '../base/unreachable.ts';
import type {ResultContent} from '../domain/conversation.ts';
import {readWebUrl} from '../domain/web-url.ts';
import {settledBy} from '../domain/settled.ts';
import {checkedForm, defineAction, textContent, toolForm} from './define-action.ts';
import {truncationNote, frameUntrusted, type PageContent, type WebPage} from './web-port.ts';

interface WebFetchInput {
  /** An absolute URL, as `readWebUrl` writes it. */
  readonly url: string;
  /** The model's question about the page. May be empty. */
  readonly prompt: string;
}

export const webFetch = defineAction<
  WebFetchInput,
  {readonly page: WebPage; readonly prompt: string},
  {readonly url: string}
>({
  summary: 'Read a page of the web.',
  risk: 'external',
  scheduling: 'parallel',
  offered: 'always',
  access: ({url}) => ({kind: 'web-page', url}),
  ruleKind: 'domain',
  asks: [
    {name: 'web-page', risks: ['external'], askedWhen: 'no rule allows its host, or its port is not 80 or 443'},
    {
      name: 'web-loopback',
      risks: ['external'],
      askedWhen: 'it reads from this machine (localhost), whatever rules and modes allow',
    },
    {
      name: 'web-secret',
      risks: ['external'],
      askedWhen: 'a secret is part of the address, whatever rules and modes allow',
    },
  ],
  tools: [
    // An address that can't be fetched is a fault of the call.
    checkedForm(
      toolForm({
        name: 'WebFetch',
        description: 'Read a web page, PDF or image by URL; HTML comes as markdown.',
        ignoredFields: {format: ['markdown', 'text'], timeout: 'any'},
        schema: () =>
          z.object({
            url: z.string().check(z.minLength(1)),
            prompt: z.optional(z.string().check(z.describe('What to look for'))),
          }),
        toInput: ({url, prompt}) => ({url, prompt: prompt ?? ''}),
      }),
      value => {
        const url = readWebUrl(value.url);
        return url.tag === 'ok' ? ok({...value, url: url.value.href}) : failed(url.error);
      },
    ),
  ],
  label: ({url}) => `Fetch ${url}`,
  cancelled: ({url}) => ({url}),
  modelContent: ({page, prompt}) => pageContent(page, prompt),
  outcome: ({page}) => [byKind(page.content, contentWords)],
  async run({url, prompt}, {ports, signal}) {
    const page = await ports.web.fetch({url, cache: 'use'}, signal);
    return settledBy(page.tag === 'ok' ? ok({page: page.value, prompt}) : page);
  },
});

const contentWords: ByKind<PageContent, string> = {
  text: ({length}) => `${length.toLocaleString('en')} characters`,
  image: () => 'image',
  moved: ({to}) => `moved to ${to}`,
};

function pageContent({url, content, ageMs, notes}: WebPage, prompt: string): readonly ResultContent[] {
  const minutes = Math.floor(ageMs / 60_000);
  const age = ageMs === 0 ? [] : [`[fetched ${minutes === 0 ? 'less than a minute' : `${minutes} min`} ago]`];
  const about = [...age, ...notes.map(note => `[${note}]`)];
  switch (content.kind) {
    case 'moved':
      return textContent(
        `${url} has moved (${content.status}) to another host: ${content.to}\nNothing was read. Call WebFetch with that address to read it.`,
      );
    case 'image':
      return [{kind: 'text', text: [`${url} (image)`, ...about].join('\n')}, content.image];
    case 'text': {
      const {text, length, file, boundary} = content;
      const rest = text.length === length ? [] : [truncationNote({shown: text.length, length, file})];
      const wanted = prompt === '' ? [] : [`Look in it for: ${prompt}`];
      return textContent(
        [`${url} (${content.mediaType})`, ...about, frameUntrusted(text, boundary), ...rest, ...wanted].join('\n'),
      );
    }
    default:
      return unreachable(content);
  }
}
