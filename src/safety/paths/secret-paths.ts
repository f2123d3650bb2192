import {compileName, type NameOptions} from '../../base/glob.ts';

/**
 * Files that by their names hold keys, passwords or tokens. Compared without case. A name too many costs a question, one too few
 * a secret.
 */
export function looksSecret(path: string): boolean {
  const parts = path.toLowerCase().split(/[\\/]/u);
  // Copies that editors and people leave behind hold what the file holds.
  const name = (parts.at(-1) ?? '').replace(/(?<=.)(?:~|\.(?:bak|backup|old|orig|save|sw[op]|tmp|copy|\d+))+$/u, '');
  return (
    parts.some(part => folders.has(part)) ||
    (names.some(pattern => pattern.test(name)) && !samples.test(name)) ||
    endings.some(ending => `/${parts.join('/')}`.endsWith(ending))
  );
}

/**
 * Whether a pattern with `*`, `?` or `[…]` may stand for the name of such a file. One that means every file of a common kind,
 * `*.json`, does not seek secrets when it is a program that looks for it.
 */
export function mayNameSecret(pattern: string, hidden: NameOptions['hidden']): boolean {
  if (looksSecret(pattern)) return true;
  const last = pattern.toLowerCase().slice(pattern.lastIndexOf('/') + 1);
  if (last.startsWith('[')) return true;
  if (hidden === 'like others' && /^\*+\.(?:json|ya?ml|toml|txt|xml|ini|properties)$/u.test(last)) return false;
  // What begins with a wildcard does not stand for names with a leading dot, nor does a bare star seek secrets.
  if (/^\*+(?:\.\*)?$/u.test(last)) return false;
  if (last.length > longestPattern) return true;
  return examples.some(compileName(last, {sets: 'widened', hidden}));
}

const longestPattern = 200;

const folders: ReadonlySet<string> = new Set('.ssh .gnupg .aws .azure .kube .gcloud .password-store'.split(' '));

const names: readonly RegExp[] = [
  /^\.env(?:\..*|rc|-.*|_.*)?$/u,
  /^\.{0,2}env$|\.env(?:[._-].*)?$/u,
  /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|p8|tfvars|tfstate|tfstate\.backup|ovpn)$/u,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:[-._](?!pub$).*)?$/u,
  /^[._]netrc$/u,
  /^\.(?:npmrc|yarnrc\.yml|pypirc|git-credentials|pgpass|my\.cnf|htpasswd|dockercfg|vault-token|s3cfg|boto|terraformrc)$/u,
  /^\.?(?:credentials?|secrets?|passwords?|tokens?|vault[-_]?pass\w*|(?:api|private|secret|access)[-_]?keys?)(?:\.(?:json|ya?ml|toml|ini|txt|env|xml|properties))?$/u,
  /^(?:service[-_]?account|gcp[-_]?key|firebase[-_]?adminsdk).*\.json$/u,
  /^kubeconfig/u,
  /_history$/u,
  /^(?:shadow|gshadow|htpasswd|auth\.json)$/u,
];

const samples = /(?:\.|-|_)(?:example|sample|template|tpl|dist|defaults?)$/u;

const endings: readonly string[] = [
  '/.docker/config.json',
  '/.config/gh/hosts.yml',
  // Addresses of remotes may carry passwords.
  '/.git/config',
];

const examples: readonly string[] = (
  '.env .env.local .env.production .envrc server.pem server.key private.p12 id_rsa id_ed25519 .netrc .npmrc .git-credentials .pgpass ' +
  'credentials credentials.json secrets.json secrets.yml secrets.yaml kubeconfig terraform.tfstate terraform.tfvars .ssh .aws .bash_history'
).split(' ');
