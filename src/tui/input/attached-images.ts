import type {ReadImage} from '../../actions/image-port.ts';
import {visibleLine} from '../../base/visible.ts';

/** `[image shot.png 640x480]`: how an image of a prompt stands above the composer and in the prompt itself. */
export function imageChip({name, width, height}: ReadImage): string {
  const size = width === 0 ? '' : ` ${width}x${height}`;
  return `[image ${visibleLine(name)}${size}]`;
}

/** The words of a prompt with its images named behind them. */
export const withChips = (text: string, images: readonly ReadImage[]): string =>
  [text, ...images.map(imageChip)].filter(line => line.trim() !== '').join('\n');
