import {actionOf} from '../actions/catalogue.ts';
import {answerBytes, type FilesPort, type ReadRequest} from '../actions/files-port.ts';
import {defaultLines, type ReadEntry} from '../actions/read-files.ts';
import {tellModel} from '../actions/settle-action.ts';
import {attachmentBlock} from '../domain/attachment.ts';
import type {ImageBlock, TextBlock} from '../domain/conversation.ts';
import {causeText, faultText} from '../domain/fault.ts';
import {mentionsIn, type MentionLines, type MentionReading} from '../domain/mention.ts';
import type {PermissionMode} from '../domain/risk.ts';
import type {JudgePort} from './ports.ts';

export interface MentionParts {
  readonly files: FilesPort;
  readonly judge: JudgePort;
  readonly mode: () => PermissionMode;
  /** Tells the user, in one sentence, what was not attached and why. */
  readonly warn: (text: string) => void;
}

/** Different mentions of one prompt that are attached, and that are looked at: a pasted text may be full of what looks like one. */
const mostAttached = 50;
const mostLookedAt = 200;

/** Base64 characters of the images of one prompt: the largest image fits. */
const imageRoom = 7_000_000;

/**
 * What the files and folders that a prompt mentions hold, as Read would tell it; ranges of lines as asked for. The judge has its
 * word as with Read: what it would ask about or deny is not attached, and the user is told. What does not exist is no mention.
 * Never throws; nothing after an abort.
 */
export async function attachMentions(
  prompt: string,
  parts: MentionParts,
  signal: AbortSignal,
): Promise<readonly (TextBlock | ImageBlock)[]> {
  const blocks: (TextBlock | ImageBlock)[] = [];
  const seen = new Set<string>();
  let attached = 0;
  const room = {text: answerBytes, image: imageRoom};
  for (const {readings} of mentionsIn(prompt)) {
    const key = JSON.stringify(readings);
    if (seen.has(key)) continue;
    seen.add(key);
    if (seen.size > mostLookedAt) break;
    // oxlint-disable-next-line no-await-in-loop -- in order, so that what does not fit any more is what comes last
    const found = await attach(readings, parts, signal);
    if (signal.aborted) return [];
    if (found.length === 0) continue;
    attached += 1;
    const size = sizeOf(found);
    if (attached > mostAttached || size.text > room.text || size.image > room.image) {
      parts.warn(`${nameOf(readings[0])} was not attached: the prompt holds as much as one prompt can.`);
      continue;
    }
    room.text -= size.text;
    room.image -= size.image;
    blocks.push(...found);
  }
  return blocks;
}

async function attach(
  readings: readonly MentionReading[],
  parts: MentionParts,
  signal: AbortSignal,
): Promise<readonly (TextBlock | ImageBlock)[]> {
  for (const reading of readings) {
    const request = requestOf(reading);
    const action = actionOf('read-files', {requests: [request]});
    try {
      // oxlint-disable-next-line no-await-in-loop -- the first reading that leads to something counts
      const verdict = await parts.judge.assess(action, parts.mode(), signal);
      if (signal.aborted) return [];
      if (verdict.decision === 'allow') {
        // oxlint-disable-next-line no-await-in-loop -- the first reading that leads to something counts
        const read = await parts.files.judged(verdict.detail.places).read(request, signal);
        if (signal.aborted) return [];
        if (read.tag === 'ok') return blocksOf(reading, {state: 'read', file: read.value});
        const told = faultText(read.error);
        if (leadsNowhere.test(told)) continue;
        parts.warn(`${nameOf(reading)} was not attached: ${told}`);
        return [attachmentBlock({name: nameOf(reading), text: told})];
      }
      // oxlint-disable-next-line no-await-in-loop -- the first reading that leads to something counts
      const exists = (await parts.files.read({...request, offset: 1, limit: 1}, signal)).tag === 'ok';
      if (!exists) continue;
      const why = verdict.reasons.length === 0 ? 'reading it is not allowed' : verdict.reasons.join('; ');
      parts.warn(`${nameOf(reading)} was not attached: ${why.replace(/\.$/u, '')}.`);
      return [];
    } catch (cause) {
      parts.warn(`${nameOf(reading)} was not attached: ${causeText(cause)} (this is a fault in weft).`);
      return [];
    }
  }
  return [];
}

/** As reading says it of a path at which nothing is; what is there and cannot be read says otherwise. */
const leadsNowhere =
  /there is no such file|a part of its path is a file|name too long|could not be read: (?!permission|operation)|A path cannot|characters long/u;

function requestOf({path, lines}: MentionReading): ReadRequest {
  if (lines === 'all') return {path, offset: 1, limit: defaultLines};
  const {first, last} = lines;
  return {path, offset: first, limit: last === 'end' ? defaultLines : last - first + 1};
}

function blocksOf(reading: MentionReading, entry: ReadEntry): readonly (TextBlock | ImageBlock)[] {
  const told = tellModel({
    name: 'read-files',
    input: {requests: []},
    settled: {state: 'success', output: {files: [entry]}},
  });
  const texts = told.filter(block => block.kind === 'text').map(({text}) => text);
  const name = nameOf(reading);
  return [attachmentBlock({name, text: texts.join('\n')}), ...told.filter(block => block.kind === 'image')];
}

const nameOf = (reading: MentionReading | undefined): string =>
  reading === undefined ? '' : `${reading.path}${linesText(reading.lines)}`;

function linesText(lines: MentionLines): string {
  if (lines === 'all') return '';
  const {first, last} = lines;
  return last === first ? `:${first}` : `:${first}-${last === 'end' ? '' : last}`;
}

function sizeOf(blocks: readonly (TextBlock | ImageBlock)[]): {readonly text: number; readonly image: number} {
  const size = {text: 0, image: 0};
  for (const block of blocks) {
    if (block.kind === 'text') size.text += new TextEncoder().encode(block.text).length;
    else size.image += block.data.length;
  }
  return size;
}
