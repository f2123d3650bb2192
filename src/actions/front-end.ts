/** Something that a front end does for an action. Without it, the action is not offered, and a call of it is an error. */
export type FrontEndAbility = 'opens-reviews' | 'opens-conversations' | 'shows-suggestions';

export type FrontEndAbilities = ReadonlySet<FrontEndAbility>;

/** The abilities of front ends of which a person reads the answer alone, and of sub-agents. */
export const noAbilities: FrontEndAbilities = new Set();

/** The abilities of the terminal UI, with and without a screen reader. */
export const terminalAbilities: FrontEndAbilities = new Set([
  'opens-reviews',
  'opens-conversations',
  'shows-suggestions',
]);

/** Tells a model that called such an action what to do in its place. */
export const withoutAbility: Readonly<Record<FrontEndAbility, string>> = {
  'opens-reviews': 'No code review can be opened here. Say in your answer what you found.',
  'opens-conversations': 'No new conversation can be opened here. Go on in this one.',
  'shows-suggestions': 'No suggestion can be shown here. Say in your answer what could come next.',
};
