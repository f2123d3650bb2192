import * as z from 'zod/mini';
import type {Approval} from '../../actions/agent-event.ts';
import {accessOf} from '../../actions/catalogue.ts';
import {emptyPreview, type Preview} from '../../actions/preview.ts';
import type {Obligation} from '../../domain/obligation.ts';
import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';

/*
 * The extension (`_meta.weft`) of a permission request to a client that is weft too. It contains the call, which the
 * client judges by its own rules. It also contains the preview, because the files are on this machine.
 */

export interface PermissionExtension {
  readonly name: string;
  readonly input: JsonObject;
  readonly directory: string;
  readonly preview: Preview;
  /** The obligations that weft on this side discharges when it runs the call. */
  readonly obligations: readonly Obligation['kind'][];
}

/** Returns the extension for a call. It is empty for a plan, which no rule covers and which is shown as text. */
export const encodePermissionExtension = (
  {toolName, input, action, preview, obligations}: Approval,
  directory: string,
): object =>
  accessOf(action).kind === 'plan'
    ? {}
    : {_meta: {weft: {name: toolName, input, directory, preview, obligations: obligations.map(({kind}) => kind)}}};

const diffLine = z.object({
  kind: z.enum(['context', 'added', 'removed']),
  text: z.string(),
  changed: z.array(z.object({from: z.int(), to: z.int()})),
});
const fileDiff = z.object({
  path: z.string(),
  before: z.string(),
  after: z.string(),
  movedFrom: z.optional(z.string()),
  added: z.int(),
  removed: z.int(),
  hunks: z.array(z.object({oldStart: z.int(), newStart: z.int(), lines: z.array(diffLine)})),
  notes: z.array(z.string()),
});
const previewSchema = z.discriminatedUnion('kind', [
  z.object({kind: z.literal('command'), command: z.string(), directory: z.string()}),
  // The changes of a command that already ran. The user keeps all or none of them.
  z.object({kind: z.enum(['diff', 'changes']), files: z.array(fileDiff)}),
  z.object({kind: z.literal('arguments'), text: z.string()}),
]);
const extensionSchema = z.object({name: z.string(), directory: z.string()});
const obligationKinds = z.array(z.enum(['restricted-environment', 'confined', 'directory', 'paths', 'left-out']));

/** Reads the extension; `undefined` if there is none. An invalid preview counts as missing. */
export function readPermissionExtension(meta: Json | undefined): PermissionExtension | undefined {
  const weft = isJsonObject(meta) ? meta['weft'] : undefined;
  if (!isJsonObject(weft)) return undefined;
  const {input, preview} = weft;
  const named = extensionSchema.safeParse(weft);
  if (!named.success || !isJsonObject(input)) return undefined;
  const shown = previewSchema.safeParse(preview);
  // Older versions of weft send no obligations.
  const {data: obligations = []} = obligationKinds.safeParse(weft['obligations']);
  return {...named.data, input, preview: shown.success ? previewOf(shown.data) : emptyPreview, obligations};
}

const previewOf = (shown: z.infer<typeof previewSchema>): Preview =>
  'files' in shown ? {kind: 'diff', files: shown.files.map(file => ({...file, movedFrom: file.movedFrom}))} : shown;
