import {pluralize} from '../base/clip.ts';
import * as z from 'zod/mini';
import {byKind, unreachable} from '../base/unreachable.ts';
import {maxImageData, type ResultContent} from '../domain/conversation.ts';
import {faultText, rejected, type Fault} from '../domain/fault.ts';
import {readingAsks} from '../domain/access.ts';
import {defineAction, rejectIf, toolForm} from './define-action.ts';
import {answerBytes, type FilesPort, type ReadFile, type ReadRequest} from './files-port.ts';

export type ReadEntry =
  | {readonly state: 'read'; readonly file: ReadFile}
  | {readonly state: 'failed'; readonly path: string; readonly fault: Fault};

/** Lines in one answer by default. */
export const defaultLines = 2000;

const maxFiles = 50;
/** The maximum number of files to read at the same time. */
const maxAtOnce = 8;

/** The maximum number of base64 characters of PDFs in one answer. */
export const maxDocumentData = 27_000_000;

export const readFiles = defineAction<
  {readonly requests: readonly ReadRequest[]},
  {readonly files: readonly ReadEntry[]},
  {readonly paths: readonly string[]}
>({
  summary: 'Read text files, images, PDFs and directory listings.',
  risk: 'read-only',
  scheduling: 'parallel',
  offered: 'always',
  access: ({requests}) => ({kind: 'read', paths: requests.map(({path}) => path)}),
  ruleKind: 'reading',
  asks: readingAsks,
  tools: [
    toolForm({
      name: 'Read',
      description: `Read a file (text with line numbers, an image or a PDF) or list a directory. Up to ${defaultLines} lines unless limit is set.`,
      aliases: {
        path: 'file_path',
        absolute_path: 'file_path',
        filename: 'file_path',
        file: 'file_path',
        target_file: 'file_path',
        name: 'file_path',
        start_line: 'offset',
      },
      unlistedFields: ['end_line', 'files'],
      expectedFields: ['file_path'],
      ignoredFields: {
        allow_large: 'any',
        detail: 'any',
        encoding: ['utf-8', 'utf8'],
        mode: ['slice'],
        should_read_entire_file: 'any',
      },
      schema: () =>
        z.object({
          file_path: z.optional(z.string().check(z.minLength(1))),
          offset: z.optional(lineNumber('First line, 1-based')),
          limit: z.optional(lineNumber('Number of lines')),
          end_line: z.optional(z.int().check(z.minimum(1))),
          files: z.optional(
            z
              .array(
                z.object({
                  file_path: z.string().check(z.minLength(1)),
                  offset: z.optional(z.int().check(z.minimum(0))),
                  limit: z.optional(z.int().check(z.minimum(0))),
                }),
              )
              .check(z.maxLength(maxFiles), z.describe('Several files at once, instead of file_path')),
          ),
        }),
      toInput: raw => ({
        requests: [
          ...(raw.file_path === undefined
            ? []
            : [{file_path: raw.file_path, offset: raw.offset, limit: raw.limit ?? linesTo(raw.end_line, raw.offset)}]),
          ...(raw.files ?? []),
        ].map(({file_path, offset, limit}) => ({
          path: file_path,
          offset: Math.max(1, offset ?? 1),
          limit: limit ?? defaultLines,
        })),
      }),
    }),
  ],
  label: input => `Read ${input.requests.map(({path}) => path).join(', ')}`,
  cancelled: input => ({paths: input.requests.map(({path}) => path)}),
  modelContent: output => output.files.flatMap(entryContent),
  past: 'remarks-at-end',
  preview: async input =>
    rejectIf(input.requests.length === 0 && 'Read needs file_path (or files with at least one entry).'),
  async run(input, {ports, signal}) {
    const files: ReadEntry[] = [];
    const room = makeAnswerBudget();
    for (let at = 0; at < input.requests.length; at += maxAtOnce) {
      const wave = input.requests.slice(at, at + maxAtOnce);
      const read = await Promise.all(wave.map(async request => readOne(request, {files: ports.files, signal})));
      files.push(...read.map(room.take));
    }
    const [only] = files;
    if (files.length === 1 && only?.state === 'failed') return {state: 'error', fault: only.fault};
    return {state: 'success', output: {files}};
  },
});

async function readOne(
  request: ReadRequest,
  {files, signal}: {readonly files: FilesPort; readonly signal: AbortSignal},
): Promise<ReadEntry> {
  const read = await files.read(request, signal);
  return read.tag === 'ok'
    ? {state: 'read', file: read.value}
    : {state: 'failed', path: request.path, fault: read.error};
}

/** Counts the content of one answer. Turns an entry that doesn't fit into a failure that says so. */
function makeAnswerBudget(): {readonly take: (entry: ReadEntry) => ReadEntry} {
  const left = {text: answerBytes, image: maxImageData, document: maxDocumentData};
  return {
    take(entry) {
      if (entry.state === 'failed') return entry;
      const {file} = entry;
      const kind = file.kind === 'image' || file.kind === 'document' ? file.kind : 'text';
      const size = sizeOf(file);
      if (size > left[kind]) return {state: 'failed', path: file.path, fault: overBudgetFaults[kind]};
      left[kind] -= size;
      return entry;
    },
  };
}

const overBudgetFaults = {
  text: rejected(`left out: one answer holds ${answerBytes / 1000} kB of text. Read it in a separate call.`),
  image: rejected(`left out: one answer holds ${maxImageData / 1_000_000} MB of images. Read it in a separate call.`),
  document: rejected('left out: one answer holds one large PDF. Read it in a separate call.'),
};

/** Returns bytes of text, or base64 characters. */
const sizeOf = (file: ReadFile): number =>
  byKind<ReadFile, number>(file, {
    text: ({lines}) => bytesOf(lines),
    image: ({image}) => image.data.length,
    document: ({document}) => document.data.length,
    directory: ({entries}) => bytesOf(entries),
  });

const bytesOf = (lines: readonly string[]): number => new TextEncoder().encode(lines.join('\n')).length;

const lineNumber = (description: string) => z.int().check(z.gte(0), z.describe(description));

function entryContent(entry: ReadEntry, _at: number, all: readonly ReadEntry[]): ResultContent[] {
  if (entry.state === 'failed') {
    const why = faultText(entry.fault);
    return [{kind: 'text', text: why.startsWith(`${entry.path}: `) ? why : `${entry.path}: ${why}`}];
  }
  const {file} = entry;
  const heading = all.length > 1 ? `${file.path}\n` : '';
  switch (file.kind) {
    case 'text':
      return [{kind: 'text', text: heading + numbered(file)}];
    case 'image':
      return [{kind: 'text', text: `${file.path} (image)`}, file.image];
    case 'document': {
      const pages = file.pages === undefined ? '' : `, ${pluralize(file.pages, 'page')}`;
      return [{kind: 'text', text: `${file.path} (PDF${pages})`}, file.document];
    }
    case 'directory': {
      const more = file.more > 0 ? [`[${file.more} more entries]`] : [];
      return [{kind: 'text', text: heading + [...file.entries, ...more].join('\n')}];
    }
    default:
      return unreachable(file);
  }
}

function numbered(file: Extract<ReadFile, {kind: 'text'}>): string {
  const width = String(file.firstLine + file.lines.length).length;
  const lines = file.lines.map((line, at) => `${String(file.firstLine + at).padStart(width)}\t${line}`);
  return [...lines, ...file.notes.map(note => `[${note}]`)].join('\n');
}

/** Returns the number of lines from the first one to `last`. */
const linesTo = (last: number | undefined, first: number | undefined): number | undefined =>
  last === undefined ? undefined : Math.max(1, last - Math.max(1, first ?? 1) + 1);
