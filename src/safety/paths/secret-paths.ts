import {compileName, type NameOptions} from '../../base/glob.ts';

/**
 * True if a file's name says that it contains keys, passwords or tokens. Case is ignored. A false positive costs a question, a
 * false negative a secret.
 */
export function looksSecret(path: string): boolean {
  const parts = path.toLowerCase().split(/[\\/]/u);
  // A backup copy contains the same secrets as its original.
  const name = (parts.at(-1) ?? '').replace(/(?<=.)(?:~|\.(?:bak|backup|old|orig|save|sw[op]|tmp|copy|\d+))+$/u, '');
  return (
    parts.some(part => folders.has(part)) ||
    (names.some(pattern => pattern.test(name)) && !samples.test(name)) ||
    endings.some(ending => `/${parts.join('/')}`.endsWith(ending))
  );
}

/**
 * True if a pattern with `*`, `?` or `[…]` may match the name of a file with secrets. A pattern that a program searches with is
 * not such a pattern if it matches every file of a common kind, such as `*.json`.
 */
export function mayNameSecret(pattern: string, hidden: NameOptions['hidden']): boolean {
  if (looksSecret(pattern)) return true;
  const last = pattern.toLowerCase().slice(pattern.lastIndexOf('/') + 1);
  if (last.startsWith('[')) return true;
  if (hidden === 'like others' && /^\*+\.(?:json|ya?ml|toml|txt|xml|ini|properties)$/u.test(last)) return false;
  // A pattern that begins with a wildcard does not match names with a leading dot. A bare star does not look for secrets.
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
  // Remote URLs may contain passwords.
  '/.git/config',
];

const examples: readonly string[] = (
  '.env .env.local .env.production .envrc server.pem server.key private.p12 id_rsa id_ed25519 .netrc .npmrc .git-credentials .pgpass ' +
  'credentials credentials.json secrets.json secrets.yml secrets.yaml kubeconfig terraform.tfstate terraform.tfvars .ssh .aws .bash_history'
).split(' ');
