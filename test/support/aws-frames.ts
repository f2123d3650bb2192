/** Makes frames of AWS event streams, independently of weft's own code. */

/** The table of CRC-32, polynomial 0xEDB88320. */
const table = Array.from({length: 256}, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xed_b8_83_20 : value >>> 1;
  return value >>> 0;
});

function checksum(bytes: Uint8Array): number {
  let value = 0xff_ff_ff_ff;
  for (const byte of bytes) value = (value >>> 8) ^ (table[(value ^ byte) & 0xff] ?? 0);
  return (value ^ 0xff_ff_ff_ff) >>> 0;
}

const number = (value: number, size: number): number[] =>
  Array.from({length: size}, (_, at) => Math.floor(value / 256 ** (size - 1 - at)) % 256);

/** A frame with headers that hold text. */
export function awsFrame(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const encoder = new TextEncoder();
  const head = Object.entries(headers).flatMap(([name, text]) => {
    const [label, value] = [encoder.encode(name), encoder.encode(text)];
    return [label.length, ...label, 7, ...number(value.length, 2), ...value];
  });
  const body = [...encoder.encode(payload)];
  const prelude = [...number(16 + head.length + body.length, 4), ...number(head.length, 4)];
  const all = [...prelude, ...number(checksum(Uint8Array.from(prelude)), 4), ...head, ...body];
  return Buffer.from([...all, ...number(checksum(Uint8Array.from(all)), 4)]);
}

/** An event of Anthropic's API as Bedrock's older API sends it. `event` is JSON. */
export const chunkFrame = (event: string): Buffer =>
  awsFrame(
    {':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event'},
    JSON.stringify({bytes: Buffer.from(event).toString('base64'), p: 'abcdefghijk'}),
  );

export const exceptionFrame = (type: string, message: string): Buffer =>
  awsFrame(
    {':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception'},
    JSON.stringify({message}),
  );

/** The same events as frames that a server sends as server-sent events. */
export const framesOf = (serverEvents: string): Buffer =>
  Buffer.concat([...serverEvents.matchAll(/^data: (.*)$/gmu)].map(([, event = '']) => chunkFrame(event)));
