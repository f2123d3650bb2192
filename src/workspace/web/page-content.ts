import {maxImageBytes} from '../files/read-file.ts';
import {byteSize} from '../../base/byte-size.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {withoutInvisible} from '../../base/visible.ts';
import type {ImageBlock} from '../../domain/conversation.ts';
import {type Fault, rejected} from '../../domain/fault.ts';
import {imageFacts, sizeRefusal} from '../../domain/image-facts.ts';

/** The content of a page, before it is shortened. */
export type ReadContent =
  | {readonly kind: 'text'; readonly text: string; readonly mediaType: string; readonly notes: readonly string[]}
  | {readonly kind: 'image'; readonly image: ImageBlock};

interface PageBytes {
  readonly url: string;
  readonly body: Buffer;
  /** The server's header; empty if it sent none. */
  readonly contentType: string;
}

/** Reads the bytes of a page by their type. Archives, video and programs are an error. */
export async function readContent(
  {url, body, contentType}: PageBytes,
  signal: AbortSignal,
): Promise<Outcome<ReadContent, Fault>> {
  // Restrict the value: a server may write anything here, and it appears outside the page's frame.
  const mediaType = (/^[\w.+-]{1,60}\/[\w.+-]{1,80}(?![^;\s])/u.exec(contentType.trim())?.[0] ?? '').toLowerCase();
  const image = imageFacts(body);
  if (image !== undefined) {
    const refusal =
      body.length > maxImageBytes
        ? `is an image of ${byteSize(body.length)}; at most ${byteSize(maxImageBytes)} can be read.`
        : sizeRefusal(image);
    return refusal === ''
      ? ok({kind: 'image', image: {kind: 'image', mediaType: image.mediaType, data: body.toString('base64')}})
      : failed(rejected(`${url} ${refusal}`));
  }
  if (mediaType === 'application/pdf' || body.toString('latin1', 0, 5) === '%PDF-') {
    const {pdfText} = await import('./pdf-text.ts');
    const read = await pdfText(body, signal);
    if (read.tag === 'failed') return failed(rejected(`${url} is a PDF that cannot be read: ${read.error}`));
    return ok({kind: 'text', ...read.value, text: withoutInvisible(read.value.text), mediaType: 'application/pdf'});
  }
  const isText = mediaType === '' || isTextType(mediaType) || mediaType === 'application/octet-stream';
  const charset = charsetOf(body, contentType, mediaType);
  if (!isText || (!charset.startsWith('utf-16') && body.includes(0))) {
    const what = mediaType === '' ? 'binary data' : mediaType;
    return failed(rejected(`${url} is ${what} (${byteSize(body.length)}), which WebFetch does not read.`));
  }
  const text = decoded(body, charset);
  const isHtml =
    mediaType === 'text/html' ||
    mediaType === 'application/xhtml+xml' ||
    (!isTextType(mediaType) && /^\s*(?:<!doctype html|<html)\b/iu.test(text));
  if (!isHtml) {
    return ok({
      kind: 'text',
      text: withoutInvisible(text),
      mediaType: mediaType === '' ? 'text/plain' : mediaType,
      notes: [],
    });
  }
  const {htmlToMarkdown} = await import('./html-to-markdown.ts');
  const markdown = await htmlToMarkdown(text, url, signal);
  return markdown.tag === 'failed'
    ? failed(rejected(`${url} is HTML that cannot be read: ${markdown.error}`))
    : ok({kind: 'text', text: withoutInvisible(markdown.value), mediaType: 'text/html as markdown', notes: []});
}

const isTextType = (mediaType: string): boolean =>
  /^text\/|[/+](?:json|xml|yaml|toml|javascript|ecmascript|typescript|x-sh|x-ndjson|ndjson|jsonl|graphql|sql|x-yaml|rtf|x-www-form-urlencoded)$/u.test(
    mediaType,
  );

/** Returns the charset from the byte order mark, the server, or the page itself, in this order. */
function charsetOf(body: Buffer, contentType: string, mediaType: string): string {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  const [, said] = /;\s*charset\s*=\s*["']?([\w.:-]+)/iu.exec(contentType) ?? [];
  if (said !== undefined) return said.toLowerCase();
  if (mediaType !== '' && !/html|xml/u.test(mediaType)) return 'utf-8';
  const head = body.toString('latin1', 0, 1024);
  const [, meta] =
    /<meta[^>]*\bcharset\s*=\s*["']?([\w.:-]+)/iu.exec(head) ??
    /^<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)/iu.exec(head) ??
    [];
  // A page that declares UTF-16 in ASCII is not UTF-16.
  return meta === undefined || /^utf-?16/iu.test(meta) ? 'utf-8' : meta.toLowerCase();
}

function decoded(body: Buffer, charset: string): string {
  try {
    const decoder = new TextDecoder(charset);
    // Node 22.13 decodes latin1 as windows-1252 if it decodes everything in one call.
    return decoder.decode(body, {stream: true}) + decoder.decode();
  } catch {
    return new TextDecoder().decode(body);
  }
}
