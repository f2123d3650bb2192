import {jsonText} from '../../base/json.ts';

/** A server-sent event with `data` as JSON; `name` is left out where it is `''`. */
export function serverEvent(name: string, data: object): string {
  const lead = name === '' ? '' : `event: ${name}\n`;
  return `${lead}data: ${jsonText(data)}\n\n`;
}
