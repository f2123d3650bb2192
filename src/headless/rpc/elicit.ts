import * as z from 'zod/mini';
import type {Elicitation, ElicitationReply} from '../../actions/mcp-port.ts';
import {isJsonObject, type JsonObject} from '../../base/json.ts';
import type {ControlChannel} from './control-channel.ts';

const reply = z.looseObject({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.optional(z.nullable(z.custom<JsonObject>(isJsonObject))),
});

/** Hands a server's question on to the client, without what is empty; whatever is no clear answer declines. */
export const elicitBy =
  (channel: ControlChannel) =>
  async (
    {server, message, mode, url, elicitationId, requestedSchema}: Elicitation,
    signal: AbortSignal,
  ): Promise<ElicitationReply> => {
    const answer = await channel.request(
      {
        subtype: 'elicitation',
        mcp_server_name: server,
        message,
        mode,
        ...(url === '' ? {} : {url}),
        ...(elicitationId === '' ? {} : {elicitation_id: elicitationId}),
        ...(requestedSchema === undefined ? {} : {requested_schema: requestedSchema}),
      },
      signal,
    );
    if (answer.tag === 'failed') {
      return {action: answer.error.kind === 'aborted' ? 'cancel' : 'decline', content: undefined};
    }
    const read = z.safeParse(reply, answer.value);
    return read.success
      ? {action: read.data.action, content: read.data.content ?? undefined}
      : {action: 'decline', content: undefined};
  };
