import type {RpcMessage} from './rpc-message.ts';

/**
 * A message as a line, with its LF. U+2028 and U+2029 are escaped: JSON allows them as they are, but readers that split text
 * into lines by Unicode's rules (Node's readline does) would cut the message in two.
 */
export const jsonLine = (message: RpcMessage): string =>
  `${JSON.stringify(message)
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`)}\n`;
