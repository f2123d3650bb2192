/** An action that a front end supports. Without it, the action is not offered, and a call is an error. */
export type ActionAbility = 'opens-reviews' | 'opens-conversations' | 'shows-suggestions';

/**
 * `offers-compactions`: asks the user what to do about a conversation that is too long. `follows-sessions`: goes on in the new session
 * that /clear opens.
 */
export type FrontEndAbility = ActionAbility | 'offers-compactions' | 'follows-sessions';

export type FrontEndAbilities = ReadonlySet<FrontEndAbility>;

/** The abilities of sub-agents and of front ends in which a person reads only the answer. */
export const emptyAbilities: FrontEndAbilities = new Set();

/** The abilities of the terminal UI, with and without a screen reader. */
export const terminalAbilities: FrontEndAbilities = new Set([
  'opens-reviews',
  'opens-conversations',
  'shows-suggestions',
  'offers-compactions',
]);

/** Tells a model that called an action without the necessary ability what to do instead. */
export const missingAbilityTexts: Readonly<Record<ActionAbility, string>> = {
  'opens-reviews': 'No code review can be opened here. Report your findings in your answer.',
  'opens-conversations': 'No new conversation can be opened here. Go on in this one.',
  'shows-suggestions': 'No suggestion can be shown here. Suggest next steps in your answer.',
};
