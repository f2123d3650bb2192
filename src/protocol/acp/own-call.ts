import * as z from 'zod/mini';
import type {Approval} from '../../actions/agent-event.ts';
import {accessOf} from '../../actions/catalogue.ts';
import {nothingToShow, type Preview} from '../../actions/preview.ts';
import type {Obligation} from '../../domain/obligation.ts';
import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';

/*
 * What weft adds (`_meta.weft`) to a request for permission, for weft at the other end: the call itself, which that one judges by its own
 * rules, and what a person is shown of it, since the files lie on this machine.
 */

export interface OwnCall {
  readonly name: string;
  readonly input: JsonObject;
  /** The folder of the session. */
  readonly directory: string;
  readonly preview: Preview;
  /** The obligations that this weft discharges when it runs the call. */
  readonly obligations: readonly Obligation['kind'][];
}

/** Nothing for what is no matter of rules: a plan is shown as the text that it is. */
export const ownCallMeta = ({toolName, input, action, preview, obligations}: Approval, directory: string): object =>
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
const shownPreview = z.discriminatedUnion('kind', [
  z.object({kind: z.literal('command'), command: z.string(), directory: z.string()}),
  // Changes of a command that ran there: a person keeps all or none of them.
  z.object({kind: z.enum(['diff', 'changes']), files: z.array(fileDiff)}),
  z.object({kind: z.literal('arguments'), text: z.string()}),
]);
const ownCall = z.object({name: z.string(), directory: z.string()});
const kept = z.array(z.enum(['restricted-environment', 'confined', 'directory', 'paths', 'left-out']));

/** `undefined` if there is none; a preview that does not fit is none. */
export function readOwnCall(meta: Json | undefined): OwnCall | undefined {
  const weft = isJsonObject(meta) ? meta['weft'] : undefined;
  if (!isJsonObject(weft)) return undefined;
  const {input, preview} = weft;
  const named = ownCall.safeParse(weft);
  if (!named.success || !isJsonObject(input)) return undefined;
  const shown = shownPreview.safeParse(preview);
  // An older weft tells none.
  const {data: obligations = []} = kept.safeParse(weft['obligations']);
  return {...named.data, input, preview: shown.success ? previewOf(shown.data) : nothingToShow, obligations};
}

const previewOf = (shown: z.infer<typeof shownPreview>): Preview =>
  'files' in shown ? {kind: 'diff', files: shown.files.map(file => ({...file, movedFrom: file.movedFrom}))} : shown;
