/** A server-sent event with `data` as JSON; `name` is left out where it is `''`. */
export function serverEvent(name: string, data: object): string {
  const lead = name === '' ? '' : `event: ${name}\n`;
  return `${lead}data: ${JSON.stringify(data).replaceAll(lineBreaks, escapeOf)}\n\n`;
}

/** JSON allows these as they are, but readers that split lines by Unicode's rules would cut the event in two. */
const lineBreaks = /[\u0085\u2028\u2029]/gu;

const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
