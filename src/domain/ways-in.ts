import {type CloudProvider, type KeyProvider, planText} from './api-key.ts';

/** A way to a model, in the words that users read. */
interface WayIn {
  readonly title: string;
  readonly kind: 'key' | 'cloud' | 'server' | 'plan';
  /** Says how to set it up, in one or two sentences. */
  readonly how: string;
}

export type WayName = KeyProvider | CloudProvider | 'gateway' | 'command' | 'other' | 'local' | 'claude' | 'copilot';

/** All ways to a model, in the order in which weft lists them. */
export const waysIn = {
  anthropic: {title: 'Anthropic API key', kind: 'key', how: 'Run weft login < key.txt, or set ANTHROPIC_API_KEY.'},
  openai: {title: 'OpenAI API key', kind: 'key', how: 'Run weft login < key.txt, or set OPENAI_API_KEY.'},
  gemini: {title: 'Gemini API key', kind: 'key', how: 'Run weft login < key.txt, or set GEMINI_API_KEY.'},
  command: {title: 'Key command', kind: 'cloud', how: 'Run weft config set keyCommand "op read op://…".'},
  gateway: {
    title: 'Gateway',
    kind: 'cloud',
    how: 'Set ANTHROPIC_BASE_URL and ANTHROPIC_AUTH_TOKEN, for LiteLLM, OpenRouter and others.',
  },
  bedrock: {
    title: 'Amazon Bedrock',
    kind: 'cloud',
    how: 'Set AWS_BEARER_TOKEN_BEDROCK, or sign in: aws sso login.',
  },
  aws: {
    title: 'Claude Platform on AWS',
    kind: 'cloud',
    how: 'Set ANTHROPIC_AWS_WORKSPACE_ID and ANTHROPIC_AWS_API_KEY.',
  },
  vertex: {
    title: 'Google Vertex AI',
    kind: 'cloud',
    how: 'Set ANTHROPIC_VERTEX_PROJECT_ID and run gcloud auth application-default login.',
  },
  foundry: {
    title: 'Microsoft Foundry',
    kind: 'cloud',
    how: 'Set ANTHROPIC_FOUNDRY_RESOURCE, and ANTHROPIC_FOUNDRY_API_KEY or run az login.',
  },
  azure: {
    title: 'Azure OpenAI',
    kind: 'cloud',
    how: 'Set AZURE_OPENAI_ENDPOINT, WEFT_MODEL to your deployment, and AZURE_OPENAI_API_KEY or run az login.',
  },
  other: {
    title: 'Another provider',
    kind: 'cloud',
    how: 'Set its key, such as DEEPSEEK_API_KEY or OPENROUTER_API_KEY. Run weft --provider NAME.',
  },
  local: {title: 'Local server', kind: 'server', how: 'Start Ollama, LM Studio, llama.cpp or vLLM.'},
  chatgpt: {title: 'ChatGPT plan', kind: 'plan', how: 'Sign in: weft login chatgpt.'},
  claude: {title: 'Claude plan', kind: 'plan', how: planText},
  copilot: {
    title: 'GitHub Copilot plan',
    kind: 'plan',
    how: "Copilot plans don't cover other tools. Let weft start your own Copilot CLI as an agent: see the setting harnesses.",
  },
} as const satisfies Record<WayName, WayIn>;

export const wayNames: readonly WayName[] = Object.keys(waysIn).filter(isWayName);

function isWayName(name: string): name is WayName {
  return Object.hasOwn(waysIn, name);
}

/**
 * The result of trying a way. `works`: a free request was answered. `refused`: the way is set up, and does not work.
 * `unproven`: the server answers, but has no free request that proves the credentials. `absent`: the way is not set up.
 */
export interface WayFound {
  readonly name: WayName;
  readonly state: 'works' | 'refused' | 'unproven' | 'absent';
  /** Says what weft found, and what to do if that does not work. */
  readonly detail: string;
}
