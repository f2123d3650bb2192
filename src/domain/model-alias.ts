/** The newest model of each family, by the names that files written for Claude Code give in the place of a model. */
const newestOf: Readonly<Record<string, string>> = {
  sonnet: 'claude-sonnet-5-5',
  opus: 'claude-opus-5-5',
  haiku: 'claude-haiku-5-5',
};

/**
 * The model that a name stands for. A family (`opus`) stands for its newest model, if the provider has it. Any other name stands for itself.
 * `undefined` says to stay with the model that there is: for `inherit`, and for a family that the provider has not.
 */
export function resolveModelAlias(name: string, provider: string): string | undefined {
  const wanted = name.trim();
  if (wanted === '' || wanted === 'inherit') return undefined;
  if (!Object.hasOwn(newestOf, wanted)) return wanted;
  return provider === 'anthropic' ? newestOf[wanted] : undefined;
}
