import {mcpToolName} from '../../domain/mcp-tool-name.ts';
import type {CommandsPort, PromptCommand, PromptPart} from '../../actions/commands-port.ts';
import type {McpPort, McpPrompt} from '../../actions/mcp-port.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {type Fault, rejected} from '../../domain/fault.ts';
import {commandBlock} from '../../domain/slash-command.ts';

/** Offers the prompts of MCP servers as slash commands: `/mcp__SERVER__PROMPT word "two words"`, with one word for each argument. */
export function serverPrompts(mcp: Pick<McpPort, 'prompts' | 'expandPrompt'>): CommandsPort {
  let known: {readonly prompts: readonly McpPrompt[]; readonly list: readonly PromptCommand[]} | undefined;
  const find = (name: string): McpPrompt | undefined => mcp.prompts().find(prompt => commandName(prompt) === name);
  return {
    ready: async () => {},
    list() {
      const prompts = mcp.prompts();
      if (known?.prompts !== prompts) known = {prompts, list: prompts.map(commandOf)};
      return known.list;
    },
    whyWithheld: () => '',
    async expand({name, argument}, signal) {
      const prompt = find(name);
      if (prompt === undefined) return failed(rejected(`Unknown command /${name}.`));
      const values = valuesFor(prompt, argument);
      if (values.tag === 'failed') return values;
      const request = {server: prompt.server, name: prompt.name, values: values.value};
      const expanded = await mcp.expandPrompt(request, signal);
      if (expanded.tag === 'failed') return expanded;
      const parts = expanded.value.blocks.map((block): PromptPart => {
        return block.kind === 'text' ? {kind: 'text', text: `${block.text}\n`} : {kind: 'image', image: block};
      });
      return ok({
        parts,
        mentions: 'none',
        model: undefined,
        allowedTools: [],
        block: text => commandBlock({name, text}),
      });
    },
  };
}

const commandName = ({server, name}: McpPrompt): string => mcpToolName(server, name);

const commandOf = (prompt: McpPrompt): PromptCommand => ({
  name: commandName(prompt),
  description: prompt.description,
  argumentHint: prompt.arguments.map(({name, need}) => (need === 'required' ? `<${name}>` : `[${name}]`)).join(' '),
  kind: 'server-prompt',
  source: {kind: 'server', server: prompt.server},
});

/**
 * Splits the text into one word for each argument of the prompt. Quotation marks keep words together, and the last
 * argument takes the rest.
 */
function valuesFor(prompt: McpPrompt, text: string): Outcome<Readonly<Record<string, string>>, Fault> {
  const words = [...text.matchAll(/"([^"]*)"|(\S+)/gu)].map(match => match[1] ?? match[2] ?? '');
  const names = prompt.arguments.map(({name}) => name);
  const last = names.length - 1;
  const given =
    words.length > names.length && last >= 0 ? [...words.slice(0, last), words.slice(last).join(' ')] : words;
  const missing = prompt.arguments.find(({need}, at) => need === 'required' && given[at] === undefined);
  if (missing !== undefined) {
    return failed(
      rejected(
        `/${commandName(prompt)} needs the argument ${missing.name}: /${commandName(prompt)} ${commandOf(prompt).argumentHint}`,
      ),
    );
  }
  return ok(Object.fromEntries(names.flatMap((name, at) => (given[at] === undefined ? [] : [[name, given[at]]]))));
}
