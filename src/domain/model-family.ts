/** A group of models that share a system prompt, tools and request parameters. */
export type ModelFamily = 'claude-5' | 'claude-4' | 'gpt' | 'gemini' | 'open';

/** The prompt and tools that a model gets: those of its family, or short ones for an open model with a small window. */
export type Profile = ModelFamily | 'small';

/** The maximum number of tokens of a small context window. */
const smallWindow = 65_536;

/**
 * Returns the family of a model, by its name in the provider's own spelling. At a cloud, a deployment may have any name:
 * `provider` then tells the family.
 */
export function modelFamily(name: string, provider: string): ModelFamily {
  if (/^claude-(?:instant|(?:[a-z]+-)*v?[1-4](?!\d))/u.test(name)) return 'claude-4';
  if (name.startsWith('claude-')) return 'claude-5';
  // gpt-oss is an open model.
  if (/^(?:ft:)?(?:(?:chat)?gpt-?\d|o\d(?:-|$)|codex-)/u.test(name)) return 'gpt';
  if (name.startsWith('gemini-')) return 'gemini';
  return familiesOfClouds[provider] ?? 'open';
}

const familiesOfClouds: Readonly<Partial<Record<string, ModelFamily>>> = {
  bedrock: 'claude-5',
  vertex: 'claude-5',
  foundry: 'claude-5',
  azure: 'gpt',
};

/** Returns the profile of a model. `contextWindow` is 0 if it is unknown. */
export const profileOf = (family: ModelFamily, contextWindow: number): Profile =>
  family === 'open' && contextWindow > 0 && contextWindow <= smallWindow ? 'small' : family;
