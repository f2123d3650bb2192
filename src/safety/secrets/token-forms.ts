import {looksRandom} from './telling-value.ts';

/** Keys that are known by how they begin. `body` is what may follow, `least` how much of it at least. */
export interface TokenForm {
  readonly name: string;
  readonly starts: readonly string[];
  readonly body: 'word' | 'dashed' | 'dotted' | 'capitals' | 'base64' | 'path' | 'any';
  readonly least: number;
  /** Whether the beginning is part of the secret, or only says that one follows. */
  readonly start: 'secret' | 'shown';
  /** What the body has to be besides. */
  readonly check: (body: string) => boolean;
}

/** The characters of each kind of body, as the inside of a character class. */
export const bodyClasses = {
  word: 'A-Za-z0-9_',
  dashed: 'A-Za-z0-9_\\-',
  dotted: 'A-Za-z0-9_.\\-',
  capitals: 'A-Z0-9',
  base64: 'A-Za-z0-9+/=_\\-',
  path: 'A-Za-z0-9/_\\-',
  any: 'A-Za-z0-9._~+/=\\-',
} as const satisfies Record<TokenForm['body'], string>;

type Exception = Partial<Pick<TokenForm, 'start' | 'check'>>;

const form = (
  name: string,
  starts: string,
  rest: readonly [body: TokenForm['body'], least: number],
  exception: Exception = {},
): TokenForm => ({
  name,
  starts: starts.split(' '),
  body: rest[0],
  least: rest[1],
  start: 'secret',
  check: () => true,
  ...exception,
});

const hasDigit = (body: string): boolean => /\d/u.test(body);
const isHex = (length: number) => (body: string) => new RegExp(`^[0-9a-fA-F]{${length}}$`, 'u').test(body);

/** Of forms that begin alike the longer beginning comes first. */
export const tokenForms: readonly TokenForm[] = [
  form('AWS_ACCESS_KEY_ID', 'AKIA ASIA ABIA ACCA', ['capitals', 16], {check: body => body.length === 16}),
  form('GITHUB_TOKEN', 'github_pat_', ['word', 20]),
  form('GITHUB_TOKEN', 'ghp_ gho_ ghu_ ghs_ ghr_', ['word', 20]),
  form('GITLAB_TOKEN', 'glpat- gldt- glrt- glcbt- glptt- glsoat- glft- glimt- glagent-', ['dotted', 16]),
  form('SLACK_TOKEN', 'xoxa- xoxb- xoxe- xoxp- xoxr- xoxs- xapp-', ['dotted', 10], {check: hasDigit}),
  form('SLACK_WEBHOOK', 'hooks.slack.com/services/', ['path', 16]),
  form('STRIPE_KEY', 'sk_live_ sk_test_ rk_live_ rk_test_', ['word', 10]),
  form('STRIPE_WEBHOOK_SECRET', 'whsec_', ['base64', 16]),
  form('ANTHROPIC_API_KEY', 'sk-ant-', ['dashed', 10]),
  form('OPENAI_API_KEY', 'sk-proj- sk-svcacct- sk-admin-', ['dashed', 16]),
  form('OPENROUTER_API_KEY', 'sk-or-', ['dashed', 16], {check: hasDigit}),
  form('OPENAI_API_KEY', 'sk-', ['dashed', 16], {check: body => hasDigit(body) && looksRandom(body)}),
  form('GOOGLE_API_KEY', 'AIza', ['dashed', 35]),
  form('GOOGLE_CLIENT_SECRET', 'GOCSPX-', ['dashed', 20]),
  form('GOOGLE_ACCESS_TOKEN', 'ya29.', ['dotted', 20]),
  form('NPM_TOKEN', 'npm_', ['word', 30], {check: hasDigit}),
  form('PYPI_TOKEN', 'pypi-', ['dashed', 32]),
  form('RUBYGEMS_KEY', 'rubygems_', ['word', 40]),
  form('DOCKER_TOKEN', 'dckr_pat_ dckr_oat_', ['dashed', 20]),
  form('SENDGRID_API_KEY', 'SG.', ['dotted', 40]),
  form('HUGGINGFACE_TOKEN', 'hf_', ['word', 30]),
  form('GROQ_API_KEY', 'gsk_', ['word', 30]),
  form('XAI_API_KEY', 'xai-', ['dashed', 40]),
  form('PERPLEXITY_API_KEY', 'pplx-', ['word', 32]),
  form('REPLICATE_TOKEN', 'r8_', ['word', 30]),
  form('DIGITALOCEAN_TOKEN', 'dop_v1_ doo_v1_ dor_v1_', ['word', 40]),
  form('DATABRICKS_TOKEN', 'dapi', ['word', 32], {check: body => isHex(32)(body.slice(0, 32))}),
  form('SHOPIFY_TOKEN', 'shpat_ shpca_ shppa_ shpss_', ['word', 32]),
  form('TWILIO_KEY', 'SK', ['word', 32], {check: isHex(32)}),
  form('MAILGUN_KEY', 'key-', ['word', 32], {check: isHex(32)}),
  form('LINEAR_API_KEY', 'lin_api_', ['word', 30]),
  form('NOTION_TOKEN', 'ntn_', ['word', 30]),
  form('ATLASSIAN_TOKEN', 'ATATT3 ATCTT3', ['base64', 40]),
  form('VAULT_TOKEN', 'hvs. hvb.', ['dashed', 20]),
  form('DOPPLER_TOKEN', 'dp.pt. dp.st.', ['dotted', 30]),
  form('GRAFANA_TOKEN', 'glsa_ glc_', ['base64', 30]),
  form('SENTRY_TOKEN', 'sntrys_ sntryu_', ['base64', 30]),
  form('SUPABASE_TOKEN', 'sbp_', ['word', 36]),
  form('NEWRELIC_KEY', 'NRAK-', ['word', 20]),
  form('POSTMAN_KEY', 'PMAK-', ['dashed', 30]),
  form('FIGMA_TOKEN', 'figd_', ['dashed', 30]),
  form('TERRAFORM_TOKEN', 'atlasv1.', ['dashed', 40]),
  form('AGE_SECRET_KEY', 'AGE-SECRET-KEY-1', ['capitals', 40]),
  form('JWT', 'eyJ', ['dotted', 20], {
    check: body => /^[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*/u.test(body),
  }),
  form('BEARER_TOKEN', 'Bearer bearer', ['any', 12], {start: 'shown', check: looksRandom}),
].map(each => (each.name === 'BEARER_TOKEN' ? {...each, starts: each.starts.map(start => `${start} `)} : each));
