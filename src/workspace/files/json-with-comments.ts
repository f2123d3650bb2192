/** Plain JSON of JSON with comments and trailing commas, character for character: what is left out becomes a space. */
export const jsonWithComments = (text: string): string =>
  withoutTrailingCommas(text.replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//gu, blankComment));

const withoutTrailingCommas = (text: string): string =>
  text.replace(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[\]}])/gu, part => (part === ',' ? ' ' : part));

const blankComment = (part: string): string => (part.startsWith('"') ? part : part.replaceAll(/[^\n]/gu, ' '));
