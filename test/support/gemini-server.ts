import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {text} from 'node:stream/consumers';
import {isJsonObject, type JsonObject} from '../../src/base/json.ts';

/** A part of an answer of a Gemini model: text, or the call of a tool. */
export type GeminiPart =
  | {readonly text: string}
  | {readonly functionCall: {readonly name: string; readonly args: JsonObject}};

/**
 * Plays Gemini's API on a port of loopback: `generateContent`, `streamGenerateContent` and `countTokens`.
 * (ai.google.dev/api/generate-content)
 */
export async function startGeminiServer(
  answer: (body: JsonObject) => GeminiPart,
): Promise<{readonly url: string; close(): Promise<void>}> {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body: unknown = JSON.parse((await text(request)) || '{}');
    const path = request.url ?? '';
    response.setHeader('content-type', path.includes('alt=sse') ? 'text/event-stream' : 'application/json');
    if (path.includes(':countTokens')) {
      response.end(JSON.stringify({totalTokens: 10}));
      return;
    }
    const content = {role: 'model', parts: [answer(isJsonObject(body) ? body : {})]};
    const chunk = JSON.stringify({
      candidates: [{index: 0, content, finishReason: 'STOP'}],
      usageMetadata: {promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12},
    });
    response.end(path.includes('alt=sse') ? `data: ${chunk}\n\n` : chunk);
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a listening TCP server has such an address
  const {port} = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
