import {effectRule, program, type ProgramRow} from '../program-table.ts';
import {
  deletesContainers,
  deletesData,
  deletesInCloud,
  deletesSomeContainers,
  startsAgent,
  talksToMachine,
  talksToDaemon,
  unknownEffect,
  usesService,
} from './effect-rules.ts';

/** Clients for other machines and services. */
export const services: readonly ProgramRow[] = [
  program('rsync', {
    options: '-f=text --filter=text --exclude=text --include=text -e=program --rsh=program',
    runs: '--rsync-path -M --remote-option',
    writes: '--log-file --write-batch',
    scripts: '-e --rsh --rsync-path',
    does: [effectRule('destructive', 'deletes files', {when: /^--del|^--remove-source/u}), talksToMachine],
    edits: 'last * !-n !--dry-run',
    can: 'run programs and overwrite any file',
    is: 'data restores copies',
  }),
  program('ssh', {
    options: '-i=text -l=text -p=text -P=text -c=text -J=text',
    runs: '-S -o -D -I ProxyCommand= LocalCommand=',
    writes: '-E',
    loads: '-F -b',
    does: [talksToMachine],
    wraps: {operands: 1, where: 'elsewhere', rule: 'exact'},
    is: 'input',
  }),
  program('scp', {like: 'ssh', edits: 'last *', does: [talksToMachine], can: 'send any file anywhere', is: 'copies'}),
  program('sftp', {like: 'ssh', does: [talksToMachine], is: 'input'}),
  program('curl', {
    options: `-f -g -G -i -I -k -L -N -s -S -v -0 -4 -6 -# -J -O:named -A=text -c=text -e=text -m=text -u=text -w=text
      -X=text -b=cookie -d=data -H=data -F=form -T=sent -K=other -x=host -o=output --silent --show-error --fail
      --fail-with-body --location --head --include --insecure --verbose --no-buffer --get --compressed
      --no-progress-meter --progress-bar --http1.1 --http2 --ipv4 --ipv6 --retry-connrefused --retry-all-errors
      --request=text --user=text --user-agent=text --referer=text --write-out=text --max-time=text --retry=text
      --retry-delay=text --retry-max-time=text --connect-timeout=text --cookie-jar=text --data-raw=text
      --data=data --data-ascii=data --data-binary=data --json=data --header=data --url-query=data
      --data-urlencode=encoded --variable=variable --form=form --upload-file=sent --cookie=cookie --url=url
      --expand-url=url --proxy=host --preproxy=host --socks4=host --socks4a=host --socks5=host
      --socks5-hostname=host --resolve=reroute --connect-to=reroute --config=other --output=output
      --output-dir=into --remote-name:named -C=other -D=other -E=other -h=other -P=other -Q=other -r=other
      -t=other -U=other -y=other -Y=other -z=other --cacert=other --capath=other --cert=other --cert-type=other
      --ciphers=other --continue-at=other --dump-header=other --form-string=other --interface=other --key=other
      --limit-rate=other --mail-from=other --mail-rcpt=other --max-filesize=other --max-redirs=other
      --netrc-file=other --noproxy=other --oauth2-bearer=other --pass=other --pinnedpubkey=other --proto=other
      --proxy-header=other --proxy-user=other --quote=other --range=other --rate=other --request-target=other
      --speed-limit=other --speed-time=other --stderr=other --time-cond=other --tls-max=other --trace=other
      --trace-ascii=other --unix-socket=other`,
    operands: 'url*',
    runs: '--engine',
    writes: `*%output{* -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --libcurl
      --etag-save --hsts --alt-svc --trace-config --ssl-sessions`,
    loads: '-K --config',
    does: [talksToMachine],
    can: 'send any file anywhere',
    is: 'data',
  }),
  program('wget', {
    options: `-t=text -T=text -w=text -Q=text -U=text -l=text -A=text -R=text -D=text -I=text -X=text -i=text -B=text -a=text -e=text
      -o=text -P=text -O=output --output-document=output`,
    runs: '--use-askpass -e --execute --config',
    writes: `-o --output-file -a --append-output --save-cookies -P --directory-prefix --warc-file
      --warc-tempdir --rejected-log --hsts-file --certs-dir`,
    does: [talksToMachine],
    can: 'send any file anywhere',
    is: 'data abbreviates',
  }),
  program('aria2c', {
    options: '-j=text -k=text -m=text -s=text -t=text -T=text -U=text -x=text -Z=text',
    runs: '--on-download-* --on-bt-*',
    writes: '-d --dir -o --out -l --log --save-session --save-cookies',
    loads: '--conf-path -i --input-file',
    does: [talksToMachine],
  }),
  program('socat', {runs: 'exec:* system:* shell:*', writes: '-lf -r -R', does: [talksToMachine]}),
  program('filan', {like: 'socat'}),
  program('nc, ncat, netcat', {
    options: `-g=text -G=text -i=text -I=text -m=text -O=text -p=text -q=text -s=text -T=text -V=text -w=text -W=text
      -x=text -X=text`,
    runs: '-e -c --exec --sh-exec --lua-exec',
    scripts: '-e -c --exec --sh-exec',
    writes: '-o --output --hex-dump',
    does: [talksToMachine],
    is: 'abbreviates',
  }),
  program('kubectl', {
    options: '-c=text -f=text -k=text -l=text -n=text -o=text -p=text -s=text -v=text',
    runs: `--kubeconfig --post-renderer* --enable-exec* --enable-alpha-plugins* --enable-helm* --helm-command
    --exec-command --exec-arg --load-restrictor`,
    writes: '--cache-dir --output-dir --profile-output --output-directory -d --destination',
    loads: '--registry-config --repository-config --repository-cache --keyring',
    edits: 'last cp',
    does: [usesService],
    can: 'change and run anything in the cluster',
    is: 'input service subcommands verbs',
  }),
  program('helm', {like: 'kubectl', does: [usesService], is: 'input service subcommands verbs'}),
  program('oc', {
    like: 'kubectl',
    edits: 'last cp',
    does: [usesService],
    wraps: {behind: 'rsh', operands: 1, where: 'elsewhere', rule: 'exact'},
    is: 'input service subcommands verbs',
  }),
  program('k3s', {like: 'kubectl'}),
  program('docker, podman, nerdctl', {
    runs: '-H --host --context --connection --url --conmon --hooks-dir --runtime*/*',
    writes: '--iidfile --metadata-file',
    loads: '--config --tlscacert --tlscert --tlskey --cidfile',
    edits: 'last cp',
    does: [talksToDaemon],
    can: 'run any program with your files',
    is: 'input subcommands verbs',
  }),
  program('buildah', {like: 'docker'}),
  program('docker image', {
    runs: '*dest=/* *dest=..* *dest=~*',
    writes: '-o --output',
    loads: '-f --file --build-context --secret --ssh',
    does: [deletesSomeContainers],
  }),
  program('docker build, podman build, docker buildx, docker save, docker export, docker cp', {like: 'docker image'}),
  program('docker-compose', {
    loads: '-f --file --project-directory --env-file',
    does: [talksToDaemon],
    is: 'subcommands',
  }),
  program('docker compose', {like: 'docker-compose'}),
  program('mysql', {
    options: '-D=text -e=text -h=text -p=text -P=text -S=text -u=text',
    runs: '--pager* --plugin-dir* --plugin_dir* --init-command* --default-auth*',
    writes: '--tee* -r --result-file -T --tab',
    loads: '--defaults-file* --defaults-extra-file*',
    does: [deletesData, usesService],
    is: 'code database pages abbreviates',
  }),
  program('mariadb', {like: 'mysql', does: [deletesData, usesService], is: 'database abbreviates'}),
  program('mysqldump', {like: 'mysql', does: [usesService], is: 'abbreviates'}),
  program('mariadb-dump', {like: 'mysql', is: 'abbreviates'}),
  program('psql', {
    options: '-c=text -d=text -h=text -p=text -U=text -v=text -F=text -R=text -T=text -P=text',
    writes: '-o --output -L --log-file',
    loads: '-f --file',
    does: [deletesData, usesService],
    is: 'code database pages',
  }),
  program('sqlite3', {
    runs: '-unsigned -unsafe*',
    loads: '-init --init -f',
    does: [deletesData, unknownEffect],
    is: 'code database',
  }),
  program('duckdb', {like: 'sqlite3', does: [deletesData], is: 'database'}),
  program('ansible', {
    options: '-e=text -f=text -l=text -t=text -u=text -T=text',
    runs: `-a --args -m --module-name -i --inventory* --vault-password-file --vault-id --become-password-file
    --connection-password-file -c --connection --*-common-args* --*-extra-args* --become-method -C -U`,
    loads: '-M --module-path --playbook-dir',
    does: [usesService],
    is: 'abbreviates runs-given',
  }),
  program('ansible-playbook', {like: 'ansible', does: [usesService], is: 'abbreviates'}),
  program('ansible-inventory, ansible-console, ansible-pull', {like: 'ansible', is: 'abbreviates'}),
  program('aws, gcloud, az', {
    runs: '--profile --endpoint-url --flags-file --configuration --no-verify-ssl',
    loads: '--cli-input-* --ca-bundle --config',
    edits: 'last cp mv sync download',
    does: [deletesInCloud, usesService],
    is: 'service subcommands verbs',
  }),
  program('glab', {
    options: '-R=text -b=text -t=text -B=text -H=text -F=text -f=text -q=text -L=text -a=text -l=text',
    runs: '-u --upload-pack* --shell core.* !* --config',
    does: [usesService],
    is: 'service subcommands verbs text',
  }),
  program('gh', {
    like: 'glab',
    runs: '--git-command --editor',
    does: [usesService],
    is: 'data service subcommands verbs text',
  }),
  program('terraform, tofu', {
    runs: '-plugin-dir* --plugin-dir* -from-module* --from-module* --tf-path',
    writes: '-out -state -state-out -backup',
    loads: '-chdir* --chdir* --working-dir* --terragrunt-config --config',
    does: [usesService],
    edits: 'fmt',
    is: 'service subcommands verbs',
  }),
  program('terragrunt', {like: 'terraform'}),
  program('docker rm, docker rmi', {does: [deletesSomeContainers, deletesContainers]}),
  program('docker volume, docker system, docker container, docker network', {does: [deletesSomeContainers]}),
  program('docker system prune, docker compose down', {does: [deletesContainers]}),
  program('kubectl delete, kubectl drain', {does: [effectRule('destructive', 'deletes from the cluster')]}),
  program('kubectl replace, helm uninstall, helm delete', {
    does: [effectRule('destructive', 'deletes from the cluster')],
  }),
  program('terraform destroy, terraform apply, tofu destroy, pulumi destroy, cdk destroy', {
    does: [effectRule('destructive', 'changes or destroys infrastructure')],
  }),
  program('heroku, fly, flyctl', {does: [deletesInCloud, usesService], is: 'service'}),
  program('vercel', {does: [deletesInCloud, usesService]}),
  program(
    `gh repo delete, gh issue delete, gh release delete, gh gist delete, gh run delete, gh cache delete,
      gh label delete, gh secret delete, gh variable delete, gh codespace delete, gh project delete,
      gh ssh-key delete`,
    {does: [effectRule('destructive', 'deletes in the cloud')]},
  ),
  program('gh api', {does: [effectRule('destructive', 'deletes in the cloud', {when: /^(?:-X|--method=)?DELETE$/iu})]}),
  program('dropdb, dropuser', {does: [effectRule('destructive', 'deletes data', {when: /^(?!--version)/u})]}),
  program('redis-cli', {
    does: [
      effectRule('destructive', 'deletes data', {
        when: /^(?:flush\w*|del|unlink|getdel|getset|set|rename|expire\w*|ltrim|\w*pop\w*|hdel|srem|zrem\w*|xdel|xtrim|restore|migrate|shutdown|eval\w*|script|debug|config)$/iu,
      }),
      usesService,
    ],
    is: 'data',
  }),
  program('mongosh', {does: [deletesData, usesService]}),
  program('http, https, httpie, xh, websocat, whois, traceroute, mtr, nmap', {does: [talksToMachine]}),
  program('rclone', {
    runs: '--password-command --metadata-mapper',
    loads: '--config',
    edits: 'last copy copyto move moveto sync bisync copyurl',
    does: [talksToMachine],
  }),
  program('telnet, ftp, lftp', {does: [talksToMachine], is: 'input'}),
  program('ping, dig, nslookup, host', {does: [talksToMachine], is: 'data'}),
  program('podman-compose, minikube, vagrant, multipass, lxc, incus, virsh', {does: [talksToDaemon]}),
  program('pg_dump, pg_restore, createdb, mongo, netlify, wrangler, firebase, serverless', {does: [usesService]}),
  program('cdk', {runs: '-a --app --build', loads: '-p --plugin', does: [usesService]}),
  program('sam, supabase, railway, ngrok, cloudflared, tailscale, nmcli', {does: [usesService]}),
  program('pulumi', {does: [usesService], is: 'service subcommands'}),
  program('mail, sendmail, mutt', {does: [effectRule('external', 'sends mail')]}),
  program('weft', {does: [startsAgent], is: 'text'}),
  program('claude, codex, gemini, opencode, aider, goose, cursor-agent, copilot', {does: [startsAgent]}),
  program('doctl', {is: 'service'}),
];
