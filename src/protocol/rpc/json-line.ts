import {jsonText} from '../../base/json.ts';
import type {RpcMessage} from './rpc-message.ts';

/** A message as a line, with its LF. */
export const jsonLine = (message: RpcMessage): string => `${jsonText(message)}\n`;
