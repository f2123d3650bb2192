import type {TextRange} from '../domain/risk.ts';

/** A part of a command for a sentence: in backticks, one line, cut when long. */
export function quotedPart(text: string, {from, to}: TextRange): string {
  const part = text.slice(from, to).replaceAll(/\s+/gu, ' ');
  return `\`${part.length > 80 ? `${part.slice(0, 79)}…` : part}\``;
}
