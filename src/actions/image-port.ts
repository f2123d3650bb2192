import type {Outcome} from '../base/outcome.ts';
import type {ImageBlock} from '../domain/conversation.ts';
import type {Fault} from '../domain/fault.ts';

/** Images that the user puts into a prompt. */
export interface ImagePort {
  /** Reads the image at a path as people write it; what is no image (by its content), or too large, is a fault. */
  read(path: string, signal: AbortSignal): Promise<Outcome<ReadImage, Fault>>;
  /** The image on the clipboard; a fault says why there is none, and what to do. */
  fromClipboard(signal: AbortSignal): Promise<Outcome<ReadImage, Fault>>;
}

/** Size in pixels, 0 where the image does not tell. */
export interface ReadImage {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly image: ImageBlock;
}
