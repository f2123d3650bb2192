const commands = {
  login: /\b(?:curl|wget2?|https?|xh|ab|siege|aria2c|lftp|ftp|wrk|oc|kubectl|nxc)\b/u,
  attached: /\b(?:mysql\w*|mariadb[\w-]*|mycli|sshpass|7z[ar]?|rar|unrar)\b/u,
  separate:
    /\b(?:sshpass|(?:docker|podman|nerdctl|buildah|skopeo|crane|registry|az|cf|oc|ibmcloud|argocd|npm|harbor)\s+(?:[\w-]+\s+)?login|mongo\w*|cypher-shell|clickhouse-client|rabbitmqadmin|influx|couchbase-cli|neo4j-admin)\b/u,
  redis: /\b(?:redis-cli|valkey-cli|keydb-cli|redis-benchmark)\b/u,
  ldap: /\b(?:ldap\w+|impacket\S*|crackmapexec|nmblookup)\b/u,
  sql: /\b(?:sqlcmd|bcp|osql|isql|tsql|unzip|zip|zipcloak)\b/u,
  openssl: /\bopenssl\b/u,
  samba: /\b(?:smbclient|rpcclient|smbget|smbmap|net)\b/u,
} as const satisfies Record<string, RegExp>;

const value = String.raw`["']?(?<value>[^\s"'${'`'}<>|;]{1,512})`;
const loginValue = new RegExp(`^(?:[ \\t]+|=)?["']?[^\\s:,"'@/<>]{1,64}[:,](?<value>[^\\s"'\`<>|;]{1,512})`, 'u');
const attachedValue = new RegExp(`^${value}`, 'u');
const separateValue = new RegExp(`^[ \\t]{1,8}${value}`, 'u');
const passValue = new RegExp(`^[ \\t]{1,8}["']?pass:(?<value>[^\\s"'\`<>|;]{1,512})`, 'u');
const sambaValue = new RegExp(`^[ \\t]{0,8}["']?[^\\s%"']{1,64}%(?<value>[^\\s"'\`<>|;]{1,512})`, 'u');

/** What stands behind an option that takes a password in this command; `value` is the password. */
export function optionForms(option: string, command: string): readonly RegExp[] {
  switch (option) {
    case '-u':
    case '-a':
    case '--user':
    case '--auth':
    case '--proxy-user':
      if (option === '-a' && commands.redis.test(command)) return [separateValue];
      return commands.login.test(command) ? [loginValue] : [];
    case '-U':
      if (commands.samba.test(command)) return [sambaValue];
      return commands.login.test(command) ? [loginValue] : [];
    case '-p':
      return [
        ...(commands.attached.test(command) ? [attachedValue] : []),
        ...(commands.separate.test(command) ? [separateValue] : []),
      ];
    case '/p:':
      return /\bx?freerdp\w*|\bmstsc\b/u.test(command) ? [attachedValue] : [];
    case '-P':
      return commands.sql.test(command) ? [separateValue] : [];
    case '-w':
      return commands.ldap.test(command) ? [separateValue] : [];
    case '-k':
      return commands.openssl.test(command) ? [separateValue] : [];
    case '-pass':
    case '-passin':
    case '-passout':
      return [passValue];
    default:
      return [];
  }
}
