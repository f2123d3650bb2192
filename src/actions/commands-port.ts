import type {Outcome} from '../base/outcome.ts';
import type {ImageBlock, TextBlock} from '../domain/conversation.ts';
import {failed} from '../base/outcome.ts';
import {rejected, type Fault} from '../domain/fault.ts';
import type {ExtensionScope} from '../domain/slash-command.ts';

/**
 * Slash commands that become prompts: files of the user, of the project and of plugins, skills, and prompts of MCP servers. The
 * engine expands them when it takes up a prompt, so every front end has them.
 */
export interface CommandsPort {
  /** Settles when `list` is complete, in bounded time: files have been read, and servers that are just starting had their time. */
  ready(signal: AbortSignal): Promise<void>;
  /** The commands by name, each name once; the same list as long as nothing changed. */
  list(): readonly PromptCommand[];
  /** What the command comes to with this argument. A fault says what is missing; an abort settles soon. */
  expand(request: CommandRequest, signal: AbortSignal): Promise<Outcome<ExpandedPrompt, Fault>>;
}

export interface CommandRequest {
  /** Without the slash: `review`, `git:pr`, `mcp__server__prompt`. */
  readonly name: string;
  readonly argument: string;
}

/** Everything here except the name is written by others: bounded, and not yet made visible for a terminal. */
export interface PromptCommand {
  readonly name: string;
  readonly description: string;
  /** What the argument is, such as `[issue-number]`; empty where nothing is said. */
  readonly argumentHint: string;
  readonly kind: 'command' | 'skill' | 'server-prompt';
  /** Who gave it; `weft`: it comes with weft. */
  readonly source:
    | {readonly kind: 'weft'}
    | {readonly kind: 'file'; readonly scope: ExtensionScope; readonly path: string}
    | {readonly kind: 'server'; readonly server: string};
}

export interface ExpandedPrompt {
  /** Joined without anything between them. */
  readonly parts: readonly PromptPart[];
  /** Whether `@file` in the parts of kind `text` attaches files, as in a prompt that the user types. */
  readonly mentions: 'attach' | 'none';
  /** The model for this prompt; `undefined` leaves it as it is. */
  readonly model: string | undefined;
  /** Permission rules that hold while this prompt runs. */
  readonly allowedTools: readonly string[];
  /** How the model reads what the parts come to. */
  block(text: string): TextBlock;
}

export type PromptPart =
  | {readonly kind: 'text'; readonly text: string}
  | {readonly kind: 'image'; readonly image: ImageBlock}
  /** A command line whose output stands here. It is judged and asked about like every command of the model. */
  | {readonly kind: 'shell'; readonly command: string};

/** Several sources as one: a name that two of them have is the first one's. */
export function joinCommands(sources: readonly CommandsPort[]): CommandsPort {
  let joined: {readonly of: readonly (readonly PromptCommand[])[]; readonly list: readonly PromptCommand[]} | undefined;
  return {
    ready: async signal => {
      await Promise.all(sources.map(source => source.ready(signal)));
    },
    list() {
      const of = sources.map(source => source.list());
      if (joined === undefined || joined.of.some((list, at) => list !== of[at])) {
        const byName = new Map(of.toReversed().flatMap(list => list.map(command => [command.name, command] as const)));
        joined = {of, list: [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))};
      }
      return joined.list;
    },
    async expand(request, signal) {
      const owner = sources.find(source => source.list().some(({name}) => name === request.name));
      return owner === undefined ? failed(noSuchCommand(request.name)) : owner.expand(request, signal);
    },
  };
}

const noSuchCommand = (name: string): Fault => rejected(`There is no command /${name}.`);

const nothing: readonly PromptCommand[] = [];

export const noCommands: CommandsPort = {
  ready: async () => {},
  list: () => nothing,
  expand: async ({name}) => failed(noSuchCommand(name)),
};
