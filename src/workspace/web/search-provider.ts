/** A search engine that the user's environment names. */
export interface SearchProvider {
  readonly name: 'Brave' | 'Tavily' | 'Exa' | 'SearXNG';
  /** The environment variable that names the search engine. */
  readonly variable: string;
  readonly baseUrl: string;
  /** The API key. Empty for SearXNG, which needs none. */
  readonly key: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const keyedProviders = [
  {name: 'Brave', variable: 'BRAVE_API_KEY', urlVariable: 'BRAVE_BASE_URL', official: 'https://api.search.brave.com'},
  {name: 'Tavily', variable: 'TAVILY_API_KEY', urlVariable: 'TAVILY_BASE_URL', official: 'https://api.tavily.com'},
  {name: 'Exa', variable: 'EXA_API_KEY', urlVariable: 'EXA_BASE_URL', official: 'https://api.exa.ai'},
] as const;

/** Returns the search engine to use: the first one with a key in the environment, otherwise the user's own SearXNG. */
export function searchProviderOf(environment: Environment): SearchProvider | undefined {
  const valueOf = (name: string): string => (environment[name] ?? '').trim();
  for (const {name, variable, urlVariable, official} of keyedProviders) {
    const key = valueOf(variable);
    if (key !== '') return {name, variable, key, baseUrl: withoutSlash(valueOf(urlVariable) || official)};
  }
  const own = withoutSlash(valueOf('SEARXNG_URL')).replace(/\/search$/u, '');
  return own === '' ? undefined : {name: 'SearXNG', variable: 'SEARXNG_URL', key: '', baseUrl: own};
}

const withoutSlash = (url: string): string => url.replace(/\/+$/u, '');
