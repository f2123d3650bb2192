import type {Message, ResultContent, UserBlock} from '../domain/conversation.ts';
import type {ModelRequest} from '../domain/model-stream.ts';

/** What is sent to a model besides text. */
export interface SentMedia {
  readonly images: 'sent' | 'named';
  readonly pdfs: 'sent' | 'named';
}

/**
 * The request without what its model cannot see: most providers refuse a whole conversation that holds one such picture. The model
 * reads in words what it was not sent.
 */
export function withoutUnseen(request: ModelRequest, media: SentMedia): ModelRequest {
  if (media.images === 'sent' && media.pdfs === 'sent') return request;
  return {...request, messages: request.messages.map(message => withWords(message, media))};
}

function withWords(message: Message, media: SentMedia): Message {
  if (message.role === 'assistant') return message;
  const inWords = <B extends ResultContent>(block: B) => words(block, media);
  const blocks = message.blocks.map((block): UserBlock =>
    block.kind === 'tool-result' ? {...block, content: block.content.map(inWords)} : inWords(block),
  );
  return {...message, blocks};
}

function words<B extends ResultContent>(block: B, {images, pdfs}: SentMedia): B | {kind: 'text'; text: string} {
  if (block.kind === 'image' && images === 'named') return {kind: 'text', text: unseenImage};
  return block.kind === 'document' && pdfs === 'named' ? {kind: 'text', text: unsentPdf(block.name)} : block;
}

const unseenImage =
  '[An image was not sent: this model sees no images. Say so if it matters, or get at its content with a command.]';

const unsentPdf = (name: string): string =>
  `[${name} was not sent: this model server takes no PDFs. Get its text with a command such as pdftotext.]`;
