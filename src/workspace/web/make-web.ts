import {missingSearchEngine, type WebPort} from '../../actions/web-port.ts';
import {failed} from '../../base/outcome.ts';
import {makePageFetcher, type PageFetcherOptions} from './fetch-page.ts';
import type {SearchProvider} from './search-provider.ts';
import {makeSearcher} from './search-web.ts';

export interface WebOptions extends PageFetcherOptions {
  readonly provider: SearchProvider | undefined;
}

export function makeWeb(options: WebOptions): WebPort {
  const {provider} = options;
  return {
    searching: provider === undefined ? 'none' : 'offered',
    fetch: makePageFetcher(options),
    search: provider === undefined ? async () => failed(missingSearchEngine) : makeSearcher({...options, provider}),
  };
}
