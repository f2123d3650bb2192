import type {DocumentBlock, ImageBlock, Message, ResultContent, TextBlock, UserBlock} from '../domain/conversation.ts';
import {imageFacts} from '../domain/image-facts.ts';
import type {ModelRequest} from '../domain/model-stream.ts';
import {isSameList} from './sendable-request.ts';

/** The media types that weft sends to a model besides text. */
export interface SentMedia {
  readonly images: 'sent' | 'named';
  readonly pdfs: 'sent' | 'named';
  readonly bounds: MediaBounds;
}

/** A provider's limits for media. Sizes are in characters of base64. */
export interface MediaBounds {
  readonly largestImage: number;
  readonly maxImages: number;
  /** The maximum number of pixels of the longer side of an image, in a request with at most `few` images and in one with more. */
  readonly longestSide: {readonly ofFew: number; readonly few: number; readonly ofMany: number} | 'unbounded';
  /** The maximum number of images and PDFs in a request together. */
  readonly maxMedia: number;
}

/**
 * Returns the request without media that its model can't read or its provider would refuse, because one such image
 * fails the whole conversation. A text tells the model what was left out. If a conversation contains too many media,
 * the oldest are left out, many at once, so that the beginning of later requests stays the same.
 */
export function withoutUnseen(request: ModelRequest, media: SentMedia): ModelRequest {
  const number = imageCount(request.messages, media.bounds);
  const seen = mapped(request.messages, block => words(block, media, number));
  const sizes = seen.flatMap(mediaOf).map(block => ({isImage: block.kind === 'image', chars: block.data.length}));
  const {images, any} = tooMany(sizes, media.bounds);
  if (images === 0 && any === 0) return {...request, messages: seen};
  let at = 0;
  let imagesSoFar = 0;
  const messages = mapped(seen, block => {
    if (block.kind === 'text') return block;
    const isLeftOut = at++ < any || (block.kind === 'image' && imagesSoFar < images);
    if (block.kind === 'image') imagesSoFar++;
    return isLeftOut ? inWords(block.kind === 'image' ? earlierImage : earlierPdf(block.name)) : block;
  });
  return {...request, messages};
}

/** Returns how many of the oldest images, and of the oldest media of all kinds, are left out. */
function tooMany(
  sizes: readonly {readonly isImage: boolean; readonly chars: number}[],
  {maxImages, maxMedia}: MediaBounds,
): {readonly images: number; readonly any: number} {
  const images = excessIn(steps, {of: sizes.filter(({isImage}) => isImage).length, most: maxImages});
  let toGo = excessIn(steps, {of: sizes.reduce((sum, {chars}) => sum + chars, 0), most: maxMedia});
  let any = 0;
  for (const {chars} of sizes) {
    if (toGo <= 0) break;
    toGo -= chars;
    any++;
  }
  return {images, any};
}

/** The number of parts that a limit is divided into. Media are left out in whole parts. */
const steps = 4;

function excessIn(parts: number, {of, most}: {readonly of: number; readonly most: number}): number {
  const part = Math.ceil(most / parts);
  return of <= most ? 0 : Math.ceil((of - most) / part) * part;
}

type Media = ImageBlock | DocumentBlock;

const mediaOf = (message: Message): readonly Media[] =>
  message.role === 'assistant'
    ? []
    : message.blocks
        .flatMap((block): readonly ResultContent[] => (block.kind === 'tool-result' ? block.content : [block]))
        .filter(block => block.kind !== 'text');

/** Returns the messages with each image and PDF from the user replaced by the result of `change`, in order. */
function mapped(
  messages: readonly Message[],
  change: (block: TextBlock | Media) => TextBlock | Media,
): readonly Message[] {
  return messages.map(message => {
    if (message.role === 'assistant') return message;
    const blocks = message.blocks.map((block): UserBlock => {
      if (block.kind === 'tool-result') {
        const content = block.content.map(change);
        return isSameList(content, block.content) ? block : {...block, content};
      }
      return change(block);
    });
    return isSameList(blocks, message.blocks) ? message : {...message, blocks};
  });
}

const imageCount = (messages: readonly Message[], {longestSide}: MediaBounds): 'few' | 'many' =>
  longestSide !== 'unbounded' && messages.flatMap(mediaOf).filter(({kind}) => kind === 'image').length > longestSide.few
    ? 'many'
    : 'few';

function words(
  block: TextBlock | Media,
  {images, pdfs, bounds: {largestImage, longestSide}}: SentMedia,
  number: 'few' | 'many',
): TextBlock | Media {
  if (block.kind === 'image' && images === 'named') return inWords(unseenImage);
  if (block.kind === 'image' && block.data.length > largestImage) return inWords(largeImage);
  if (block.kind === 'image' && longestSide !== 'unbounded') {
    const side = sideOf(block);
    if (side > longestSide.ofFew) return inWords(largeImage);
    if (number === 'many' && side > longestSide.ofMany) return inWords(largeAmongMany(longestSide));
  }
  return block.kind === 'document' && pdfs === 'named' ? inWords(unsentPdf(block.name)) : block;
}

/** The base64 characters at the beginning of an image that contain its size. */
const headLength = 400_000;

/** Returns the longer side of an image in pixels; 0 if it is unknown. */
function sideOf({data}: ImageBlock): number {
  const {width, height} = imageFacts(Buffer.from(data.slice(0, headLength), 'base64')) ?? {width: 0, height: 0};
  return Math.max(width, height);
}

const inWords = (text: string): TextBlock => ({kind: 'text', text});

/** Stands for an image in a request to a model that sees none. */
export const unseenImage =
  '[An image was not sent: this model sees no images. Say so if it matters, or get at its content with a command.]';

const largeImage =
  '[An image was not sent: it is larger than this provider takes. A smaller copy, made with a command, can be read.]';

const largeAmongMany = ({few, ofMany}: {readonly few: number; readonly ofMany: number}): string =>
  `[An image was not sent: beside more than ${few} images, this provider takes none with a side of more than ${ofMany} pixels. A smaller copy, made with a command, can be read.]`;

const earlierImage =
  '[An earlier image was left out: a request holds only so many. Read it again if it is still needed.]';

const earlierPdf = (name: string): string =>
  `[${name} was left out: a request holds only so much. Read it again if it is still needed.]`;

export const unsentPdf = (name: string): string =>
  `[${name} was not sent: this model server takes no PDFs. Get its text with a command such as pdftotext.]`;
