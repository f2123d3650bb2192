import * as z from 'zod/mini';
import {clip} from '../base/clip.ts';
import {failed, ok} from '../base/outcome.ts';
import {interrupted} from '../domain/settled.ts';
import {checkedForm, defineAction, needsNoPermission, textContent, toolForm} from './define-action.ts';

export interface SuggestPromptInput {
  readonly prompt: string;
  /** A few words that describe the prompt. May be empty. */
  readonly label: string;
}

/** Shows the user a next prompt, which the user may send or ignore. The call does not wait for that. */
export const suggestPrompt = defineAction<SuggestPromptInput, SuggestPromptInput, {readonly prompt: string}>({
  summary: 'Suggest a next prompt to the user.',
  ...needsNoPermission,
  offered: 'shows-suggestions',
  tools: [
    // Refuses what a front end would take for a command or a note: accepting a suggestion must not run a command.
    checkedForm(
      toolForm({
        name: 'SuggestPrompt',
        description: 'Suggest a likely next prompt, which the user accepts with one key. Last call of a turn, once.',
        schema: () =>
          z.object({
            prompt: z.string().check(z.minLength(1), z.maxLength(2000), z.describe('As the user would write it')),
            label: z.optional(z.string().check(z.maxLength(80))),
          }),
        toInput: ({prompt, label}): SuggestPromptInput => ({prompt: prompt.trim(), label: label?.trim() ?? ''}),
      }),
      value => {
        const {prompt} = value;
        if (prompt === '') return failed('prompt: it is empty');
        return /^[!/#]/u.test(prompt)
          ? failed('prompt: it must not be a command; it begins with !, / or #')
          : ok(value);
      },
    ),
  ],
  label: ({prompt, label}) => `Suggest next: ${label === '' ? clip(prompt.split('\n', 1)[0] ?? '', 80) : label}`,
  cancelled: ({prompt}) => ({prompt}),
  modelContent: () => textContent('The user sees the suggestion and may accept it. End your turn.'),
  async run(input, {ports, signal}) {
    if (signal.aborted) {
      return interrupted({prompt: input.prompt});
    }
    ports.suggestions.suggestPrompt(input);
    return {state: 'success', output: input};
  },
});
