import {describe, expect, test} from 'vitest';
import {scanStated} from '../../../../src/safety/secrets/scan-stated.ts';
import {processorClock} from '../../../support/processor-clock.ts';
import {sampleSecrets} from './sample-secrets.ts';

const b = (text: string): string => Buffer.from(text).toString('base64');

/** As people think them up, and as programs make them. */
const passwords = [
  'Zx9!kdPq2#',
  'hunter2',
  'Tr0ub4dor3',
  'Winter2024!',
  'correct-horse-battery-staple',
  'q8Rf2LmZx7Tn',
];

/** Places where a password is stated. */
const forms: readonly (readonly [name: string, text: (password: string) => string])[] = [
  ['xml', p => `<server><password>${p}</password></server>`],
  ['xml ns', p => `<ns:password>${p}</ns:password>`],
  ['xml attr', p => `<password encrypted="false">${p}</password>`],
  ['xml nl', p => `<dbPassword>\n  ${p}\n</dbPassword>`],
  ['cdata', p => `<password><![CDATA[${p}]]></password>`],
  ['add key', p => `<add key="DbPassword" value="${p}"/>`],
  ['property', p => `<property name="password" value="${p}"/>`],
  ['hib', p => `<property name="hibernate.connection.password">${p}</property>`],
  ['entry', p => `<entry key="password">${p}</entry>`],
  ['xmlattr', p => `<Resource username="x" password="${p}" />`],
  ['define', p => `define('DB_PASSWORD', '${p}');`],
  ['define2', p => `define( "DB_PASSWORD", "${p}" );`],
  ['setenv', p => `setenv("DB_PASSWORD", "${p}", 1);`],
  ['put', p => `props.put("password", "${p}");`],
  ['setProperty', p => `props.setProperty("user.password", "${p}");`],
  ['withEnv', p => `.withEnv("POSTGRES_PASSWORD", "${p}")`],
  ['environ', p => `os.environ["DB_PASSWORD"] = "${p}"`],
  ['setdefault', p => `os.environ.setdefault('DB_PASSWORD', '${p}')`],
  ['setPassword', p => `ds.setPassword("${p}");`],
  ['.password', p => `.password("${p}")`],
  ['php arr', p => `'password' => '${p}',`],
  ['php env', p => `env('DB_PASSWORD', '${p}')`],
  ['php var', p => `$config['db']['password'] = '${p}';`],
  ['ruby', p => `:password => "${p}"`],
  ['ruby2', p => `  password: "${p}",`],
  ['go', p => `password := "${p}"`],
  ['go struct', p => `Password: "${p}",`],
  ['java', p => `private static final String PASSWORD = "${p}";`],
  ['java2', p => `String password = "${p}";`],
  ['py', p => `password = '${p}'`],
  ['py kw', p => `connect(host="x", password="${p}")`],
  ['csharp', p => `var password = @"${p}";`],
  ['rust', p => `let password = "${p}";`],
  ['r', p => `password <- "${p}"`],
  ['perl', p => `my $password = '${p}';`],
  ['lua', p => `password = "${p}"`],
  ['curl', p => `curl -u a:${p} https://x.example/`],
  ['curl q', p => `curl -s -u 'admin:${p}' https://x`],
  ['curl --user', p => `curl --user admin:${p} https://x`],
  ['curl late', p => `curl https://x.example/api -X POST -u admin:${p}`],
  ['curl bs', p => `curl https://x \\\n  -u admin:${p} \\\n  -d x`],
  ['wget', p => `wget --user=a --password=${p} https://x`],
  ['wget2', p => `wget --password ${p} https://x`],
  ['mysql', p => `mysql -u root -p${p} shop`],
  ['mysql q', p => `mysql -uroot -p'${p}' -h db`],
  ['mysqldump', p => `mysqldump -h x -p"${p}" shop > d.sql`],
  ['sshpass', p => `sshpass -p ${p} ssh a@b`],
  ['sshpass q', p => `sshpass -p '${p}' ssh a@b`],
  ['sshpass att', p => `sshpass -p${p} ssh`],
  ['docker', p => `docker login -u me -p ${p} reg.io`],
  ['redis', p => `redis-cli -h x -a ${p} ping`],
  ['mongo', p => `mongosh -u root -p ${p}`],
  ['ldap', p => `ldapsearch -x -D cn=a -w ${p}`],
  ['sqlcmd', p => `sqlcmd -S x -U sa -P ${p}`],
  ['unzip', p => `unzip -P ${p} a.zip`],
  ['openssl', p => `openssl rsa -in k -passin pass:${p}`],
  ['PGPASSWORD', p => `PGPASSWORD=${p} psql`],
  ['MYSQL_PWD', p => `MYSQL_PWD=${p} mysql`],
  ['smb', p => `smbclient //h/s -U 'u%${p}'`],
  ['--password=', p => `tool --password=${p}`],
  ['gpg', p => `gpg --batch --passphrase ${p} -c`],
  ['ps', p => `ConvertTo-SecureString "${p}" -AsPlainText`],
  ['ps2', p => `-Password "${p}"`],
  ['httpie', p => `http -a user:${p} x.io`],
  ['tf', p => `variable "db_password" {\n  type = string\n  default = "${p}"\n}`],
  [
    'tf2',
    p =>
      `variable "db_password" {\n  description = "the password of the db"\n  default     = "${p}"\n  sensitive = true\n}`,
  ],
  ['tfvars', p => `db_password = "${p}"`],
  ['tf res', p => `resource "x" "y" {\n  master_password = "${p}"\n}`],
  ['prose', p => `my password is ${p}`],
  ['prose.', p => `My password is ${p}. Please use it.`],
  ['prose2', p => `the password for the staging server is "${p}"`],
  ['prose3', p => `Password: ${p}`],
  ['prose4', p => 'the password was `' + p + '`, now changed'],
  ['prose5', p => `db password is: ${p}`],
  ['prose6', p => `The admin password has been changed to ${p}`],
  ['pw for x:', p => `password for root: ${p}`],
  ['jdbc', p => `jdbc:mysql://h/db?user=a&password=${p}`],
  ['adonet', p => `Server=x;Database=y;User Id=sa;Password=${p};`],
  ['pwd=', p => `Driver=x;Uid=a;Pwd=${p};`],
  ['url', p => `postgres://u:${p.replace('#', '')}@h/db`],
  ['dsn', p => `root:${p}@tcp(db:3306)/shop`],
  ['json', p => `{"user":"a","password":"${p}"}`],
  ['json esc', p => String.raw`{\"password\":\"${p}\"}`],
  ['yaml', p => `db:\n  password: ${p}\n`],
  ['yaml q', p => `db:\n  password: "${p}"\n`],
  ['toml', p => `[db]\npassword = "${p}"\n`],
  ['ini', p => `[client]\npassword=${p}\n`],
  ['props', p => `spring.datasource.password=${p}\n`],
  ['netrc', p => `machine x.io login me password ${p}`],
  ['netrc2', p => `machine x.io\n  login me\n  password ${p}\n`],
  ['pgpass', p => `db.x.io:5432:shop:me:${p}\n`],
  ['pgpass*', p => `*:*:*:me:${p}\n`],
  ['npmrc', p => `//reg/:_auth=${b('me:' + p)}`],
  ['npmrc pw', p => `//reg/:_password=${b(p + p)}`],
  ['docker auth', p => `{"auths":{"x.io":{"auth":"${b('me:' + p)}"}}}`],
  ['basic', p => `Authorization: Basic ${b('me:' + p)}`],
  [
    'k8s',
    p =>
      `apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ntype: Opaque\ndata:\n  username: ${b('administrator')}\n  db-pass: ${b(p)}\n  other: ${b(p + 'x')}\n`,
  ],
  ['k8s str', p => `apiVersion: v1\nkind: Secret\nstringData:\n  db: ${p}\n`],
  ['k8s env', p => `env:\n  - name: DB_PASSWORD\n    value: ${p}\n`],
  ['k8s envq', p => `env:\n  - name: DB_PASSWORD\n    value: "${p}"\n`],
  ['ecs', p => `{"name": "DB_PASSWORD", "value": "${p}"}`],
  ['dockerfile', p => `FROM x\nENV DB_PASSWORD ${p}\n`],
  ['compose', p => `environment:\n  - POSTGRES_PASSWORD=${p}\n`],
  ['redis conf', p => `bind 0\nrequirepass ${p}\n`],
  ['sql', p => `CREATE USER a IDENTIFIED BY '${p}';`],
  ['sql2', p => `ALTER USER a WITH PASSWORD '${p}';`],
  ['gradle', p => `credentials {\n  username 'a'\n  password '${p}'\n}`],
  ['git diff', p => `+  password: ${p}`],
  ['grep', p => `conf/app.yml:3:  password: ${p}`],
  ['git cfg', p => `git config http.password ${p}`],
  ['aws cfg', p => `aws configure set aws_secret_access_key q8Rf2LmZx7Tn${p}`],
  ['an input', p => `<input name="password" type="password" value="${p}">`],
  ['prose german', p => `Mein Passwort ist ${p}`],
  ['prose french', p => `mon mot de passe est ${p}`],
  ['pw=', p => `pw=${p}`],
  ['pass:', p => `user: bob\npass: ${p}\n`],
  ['login/pass', p => `login: bob, password: ${p}`],
  ['use the password', p => `log in with user bob and password ${p}`],
  ['pass is', p => `my pass is ${p}`],
  ['pwd is', p => `the pwd is ${p}`],
  ['passphrase', p => `passphrase is "${p}"`],
  ['curl nospace', p => `curl -uadmin:${p} https://x`],
  ['curl -u=', p => `curl --user=admin:${p} https://x`],
  ['curl "', p => `curl -u "admin:${p}" https://x`],
  ['mysql --password', p => `mysql --password='${p}' x`],
  ['mysqladmin', p => `mysqladmin -u root -p'${p}' status`],
  ['docker exec mysql', p => `docker exec db mysql -uroot -p${p} -e 'select 1'`],
  ['SSHPASS', p => `SSHPASS='${p}' sshpass -e ssh x`],
  ['lftp', p => `lftp -u user,${p} ftp.x`],
  ['htpasswd', p => `htpasswd -b f bob ${p}`],
  ['useradd', p => `openssl passwd -1 ${p}`],
  ['requests', p => `requests.get(u, auth=("bob", "${p}"))`],
  ['py basic', p => `HTTPBasicAuth('bob', '${p}')`],
  ['getConnection', p => `DriverManager.getConnection(url, "root", "${p}")`],
  ['mysqli', p => `new mysqli("localhost", "root", "${p}", "db")`],
  ['PDO', p => `new PDO($dsn, 'root', '${p}')`],
  ['sec req', p => `spring.security.user.password: ${p}`],
  ['ansible', p => `ansible_password=${p}`],
  ['ansible2', p => `ansible_ssh_pass: ${p}\n`],
  ['become', p => `ansible_become_pass: "${p}"`],
  ['wp', p => `define('DB_PASSWORD','${p}');`],
  ['laravel', p => `DB_PASSWORD="${p}"`],
  ['laravel2', p => `DB_PASSWORD=${p}`],
  ['django', p => `'PASSWORD': '${p}',`],
  ['helm', p => `helm install x --set auth.password=${p}`],
  ['k8s lit', p => `kubectl create secret generic x --from-literal=password=${p}`],
  ['kconfig', p => `users:\n- name: a\n  user:\n    username: a\n    password: ${p}\n`],
  ['nmcli', p => `nmcli dev wifi connect x password ${p}`],
  ['xfreerdp', p => `xfreerdp /u:bob /p:${p} /v:h`],
  ['maven', p => `<server>\n<id>x</id>\n<username>a</username>\n<password>${p}</password>\n</server>`],
  ['plist', p => `<key>Password</key>\n<string>${p}</string>`],
  ['android', p => `<string name="api_password">${p}</string>`],
  ['tomcat', p => `<user username="a" password="${p}" roles="x"/>`],
  ['web.config', p => `connectionString="Server=x;User ID=sa;Password=${p};"`],
  ['Pwd in conn', p => `"Server=x;Uid=sa;Pwd=${p}"`],
  ['ldap conf', p => `bindpw ${p}\n`],
  ['bindPassword', p => `ldap.bindPassword = ${p}\n`],
  ['bash export', p => `export DB_PASSWORD='${p}'`],
  ['fish', p => `set -x DB_PASSWORD ${p}`],
  ['ps env', p => `$env:DB_PASSWORD = "${p}"`],
  ['cmd', p => `set DB_PASSWORD=${p}`],
  ['js const', p => `const dbPassword = '${p}';`],
  ['tpl', p => 'const password = `' + p + '`;'],
  ['kotlin', p => `val password: String = "${p}"`],
  ['swift', p => `let password: String = "${p}"`],
  ['scala', p => `val password = "${p}"`],
  ['elixir', p => `config :app, password: "${p}"`],
  ['clj', p => `{:password "${p}"}`],
  ['haskell', p => `password = "${p}" :: String`],
  ['c', p => `const char *password = "${p}";`],
  ['c2', p => `#define DB_PASSWORD "${p}"`],
  ['c3', p => `char password[] = "${p}";`],
  ['dart', p => `final password = '${p}';`],
  ['groovy', p => `def password = '${p}'`],
  ['vb', p => `Dim password As String = "${p}"`],
  ['tcl', p => `set password ${p}`],
  ['nix', p => `password = "${p}";`],
  ['md table', p => `| password | ${p} |`],
  ['md list', p => `- **Password**: ${p}`],
  ['md code', p => '- Password: `' + p + '`'],
  ['form', p => `curl -d "user=a&password=${p}" x`],
  ['json body', p => `curl -d '{"password":"${p}"}' x`],
  ['py dict', p => `{'password': '${p}'}`],
  ['hash rocket', p => `"password" => "${p}"`],
  ['ini sp', p => `password = ${p}\n`],
  ['yaml list', p => `  - password: ${p}\n`],
  ['yaml comment', p => `password: ${p} # db\n`],
  ['xml esc', p => `&lt;password&gt;${p}&lt;/password&gt;`],
  ['crlf', p => `password=${p}\r\nx=1\r\n`],
  ['cat -n', p => `     3\tpassword: ${p}\n`],
  ['diff -', p => `-password=${p}\n`],
];

describe('a password is hidden', () => {
  test.each(forms)('%s', (name, text) => {
    for (const password of passwords) {
      const whole = text(password);
      const told = [password, b(password), b(`me:${password}`)];
      const secrets = sampleSecrets();
      const concealed = secrets.conceal(whole);
      expect(told.filter(each => concealed.includes(each))).toEqual([]);
      expect(secrets.reveal(concealed)).toBe(whole);
      // Only what follows tells that it is one: pieces may divide the two.
      if (name === 'dsn') continue;
      for (const size of [1, 7, 50]) {
        const filter = sampleSecrets().filter();
        const bytes = Buffer.from(whole);
        const pieces: Uint8Array[] = [];
        for (let at = 0; at < bytes.length; at += size) pieces.push(filter.push(bytes.subarray(at, at + size)));
        const out = Buffer.concat([...pieces, filter.end()]).toString();
        expect(told.filter(each => out.includes(each))).toEqual([]);
      }
    }
  });
});

test.each([
  'password ',
  '<password>',
  "define('DB_PASSWORD', '",
  'my password is ',
  'variable "db_password" {\n',
  'curl -u a:',
  'mysql -p ',
  'kind: Secret\ndata:\n',
  '<a name="password" value="',
  '--password\t\t',
  '"auth":"',
  'x@tcp(',
  ':5432:a:a:',
])('takes time in proportion to its length: %j again and again', part => {
  const timeOf = (length: number): number => {
    const text = part.repeat(Math.ceil(length / part.length));
    const clock = processorClock();
    scanStated(text);
    return clock();
  };
  timeOf(100_000);
  expect(timeOf(800_000)).toBeLessThan(Math.max(2000, 40 * timeOf(100_000)));
});
