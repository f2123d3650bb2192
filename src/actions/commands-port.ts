import type {Outcome} from '../base/outcome.ts';
import type {ImageBlock, TextBlock} from '../domain/conversation.ts';
import {failed} from '../base/outcome.ts';
import {rejected, type Fault} from '../domain/fault.ts';
import type {ExtensionScope} from '../domain/slash-command.ts';

/**
 * Slash commands that become prompts: files of the user, the project and plugins; skills; and prompts of MCP servers.
 * The engine expands them when it starts a prompt, so every front end has them.
 */
export interface CommandsPort {
  /** Settles in bounded time when `list` is complete: files are read, and servers that are starting have had time to. */
  ready(signal: AbortSignal): Promise<void>;
  /** Returns the commands, one for each name. Returns the same list until something changes. */
  list(): readonly PromptCommand[];
  /** Returns why a command or skill that has a file is not offered, as a sentence. Empty if there is no such file. */
  whyWithheld(name: string): string;
  /** Expands the command with this argument. A fault says what is missing. Settles soon after an abort. */
  expand(request: CommandRequest, signal: AbortSignal): Promise<Outcome<ExpandedPrompt, Fault>>;
}

export interface CommandRequest {
  /** Without the slash: `review`, `git:pr`, `mcp__server__prompt`. */
  readonly name: string;
  readonly argument: string;
}

/** A slash command. Everything except its name is text from others: bounded, but not yet made visible for a terminal. */
export interface PromptCommand {
  readonly name: string;
  readonly description: string;
  /** Describes the argument, such as `[issue-number]`. Empty if there is no hint. */
  readonly argumentHint: string;
  readonly kind: 'command' | 'skill' | 'server-prompt';
  /** The origin of the command. `weft`: the command is built in. */
  readonly source:
    | {readonly kind: 'weft'}
    | {readonly kind: 'file'; readonly scope: ExtensionScope; readonly path: string}
    | {readonly kind: 'server'; readonly server: string};
}

export interface ExpandedPrompt {
  /** The parts of the prompt, to be joined without separators. */
  readonly parts: readonly PromptPart[];
  /** `attach`: `@file` in text parts attaches files, as in a prompt that the user types. */
  readonly mentions: 'attach' | 'none';
  /** The model for this prompt. `undefined` keeps the current one. */
  readonly model: string | undefined;
  /** Permission rules that apply while this prompt runs. */
  readonly allowedTools: readonly string[];
  /** Wraps the expanded text for the model. */
  block(text: string): TextBlock;
}

export type PromptPart =
  | {readonly kind: 'text'; readonly text: string}
  | {readonly kind: 'image'; readonly image: ImageBlock}
  /** A command line to be replaced by its output. weft judges it and asks about it like any command from the model. */
  | {readonly kind: 'shell'; readonly command: string};

/** Joins several sources. If two have a command with the same name, the first one wins. */
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
    whyWithheld: name => sources.map(source => source.whyWithheld(name)).find(why => why !== '') ?? '',
    async expand(request, signal) {
      const owner = sources.find(source => source.list().some(({name}) => name === request.name));
      return owner === undefined ? failed(unknownCommandFault(request.name)) : owner.expand(request, signal);
    },
  };
}

const unknownCommandFault = (name: string): Fault => rejected(`Unknown command /${name}.`);

const nothing: readonly PromptCommand[] = [];

export const noopCommands: CommandsPort = {
  ready: async () => {},
  list: () => nothing,
  whyWithheld: () => '',
  expand: async ({name}) => failed(unknownCommandFault(name)),
};
