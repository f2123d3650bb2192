/**
 * A value as JSON text in one line. Line breaks of Unicode are escaped: JSON allows them as they are, but readers that split text
 * by Unicode's rules would cut the line in two.
 */
export const jsonText = (value: object): string => JSON.stringify(value).replaceAll(lineBreaks, escapeOf);

const lineBreaks = /[\u0085\u2028\u2029]/gu;

const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
