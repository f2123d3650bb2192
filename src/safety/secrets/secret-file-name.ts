/** Whether a file of that name is made to hold secrets: variables, keys, passwords. Examples to copy from are not. */
export function isSecretFile(name: string): boolean {
  const lower = name.toLowerCase();
  return (
    forms.some(form => form.test(lower)) && !/[.-](?:example|sample|template|dist|defaults?|schema|pub)$/u.test(lower)
  );
}

const forms: readonly RegExp[] = [
  /^\.env(?:[.-].+)?$/u,
  /\.env$/u,
  /^\.(?:envrc|flaskenv|dev\.vars|secrets?|npmrc|yarnrc|netrc|pypirc|pgpass|my\.cnf|git-credentials|dockercfg|vault-token|boto|s3cfg)$/u,
  /^_netrc$/u,
  /^(?:secrets?|credentials?)(?:\.(?:json|ya?ml|toml|env|ini|txt))?$/u,
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)|master\.key|local\.settings\.json|kubeconfig)$/u,
  /\.(?:pem|key|p8|tfvars|pgpass)$/u,
];

/** The words of a command or of lines of output that are paths of such files. */
export function secretFilesIn(text: string): readonly string[] {
  const paths = new Set<string>();
  for (const [word] of text.matchAll(/[^\s"'`;|&<>()=:]{2,500}/gu)) {
    if (paths.size >= mostPaths) break;
    if (isSecretFile(word.slice(word.lastIndexOf('/') + 1))) paths.add(word);
  }
  return [...paths];
}

const mostPaths = 50;
