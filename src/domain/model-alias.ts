/** The newest model of each family, by the aliases that Claude Code files use for models. */
const newestOf: Readonly<Record<string, string>> = {
  sonnet: 'claude-sonnet-5-5',
  opus: 'claude-opus-5-5',
  haiku: 'claude-haiku-5-5',
};

/**
 * Resolves the name of a model. A family (`opus`) means its newest model, if the provider has it. Any other name means
 * the model with this name. Returns `undefined` to keep the current model: for `inherit`, and for a family that the
 * provider lacks.
 */
export function resolveModelAlias(name: string, provider: string): string | undefined {
  const wanted = name.trim();
  if (wanted === '' || wanted === 'inherit') return undefined;
  if (!Object.hasOwn(newestOf, wanted)) return wanted;
  return provider === 'anthropic' ? newestOf[wanted] : undefined;
}

/** True for a family of models that the provider lacks. */
export const isMissingFamily = (name: string, provider: string): boolean =>
  !['', 'inherit'].includes(name.trim()) && resolveModelAlias(name, provider) === undefined;
