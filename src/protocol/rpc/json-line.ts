import {jsonText} from '../../base/json.ts';
import type {ControlMessage} from './control-message.ts';
import type {RpcMessage} from './rpc-message.ts';

/** A message as a line, with its LF. */
export const jsonLine = (message: RpcMessage | ControlMessage): string => `${jsonText(message)}\n`;
