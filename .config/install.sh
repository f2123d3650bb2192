#!/bin/sh
# Installs weft with a Node.js of its own below ~/.local, and removes it again. Needs no root, and refuses sudo.
#
#   sh install.sh [--version VERSION] [--prefix FOLDER] [--uninstall]
#
# It checks the signature of the release's checksums and the checksum of the download. WEFT_RELEASES names another server.
# All of it is in functions, so that a download that was cut runs nothing.
set -eu

# The release script writes its public key here.
key='RELEASE_KEY'
releases=${WEFT_RELEASES:-https://github.com/weft-cli/weft/releases}

main() {
  version=latest prefix=${HOME:?Set HOME first}/.local action=install
  while [ $# -gt 0 ]; do
    case $1 in
    --version) version=${2:?--version needs a version} && shift ;;
    --prefix) prefix=${2:?--prefix needs a folder} && shift ;;
    --uninstall) action=uninstall ;;
    *) fail "unknown option $1. Options: --version VERSION, --prefix FOLDER, --uninstall" ;;
    esac
    shift
  done
  [ -z "${SUDO_USER:-}" ] || fail 'run this script without sudo: weft is for one user'
  library=$prefix/lib/weft link=$prefix/bin/weft
  case $(readlink "$link" || true) in
  "$library"/*) ;;
  *) if [ -e "$link" ] || [ -L "$link" ]; then fail "$link is not from this script: move it away first"; fi ;;
  esac
  "$action"
}

install() {
  system="$(uname -s) $(uname -m)"
  [ "$system" = 'Linux x86_64' ] ||
    fail "there is no build for $system. With Node.js 22.13 or newer: npm install --global @weft-cli/weft"
  for program in ssh-keygen sha256sum tar gzip; do
    command -v "$program" >/dev/null || fail "$program is missing: install it first (ssh-keygen is in openssh-client)"
  done
  mkdir -p "$library" "$prefix/bin"
  work=$(mktemp -d "$library/.new-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM

  from=$releases/download/v$version
  [ "$version" != latest ] || from=$releases/latest/download
  download SHA256SUMS
  download SHA256SUMS.sig
  printf 'weft %s\n' "$key" >"$work/signers"
  ssh-keygen -Y verify -f "$work/signers" -I weft -n weft-release -s "$work/SHA256SUMS.sig" \
    <"$work/SHA256SUMS" >/dev/null 2>&1 || fail 'the checksums are not signed by weft: nothing was installed'
  archive=$(sed -n 's/^[0-9a-f]*  \(weft-.*-linux-x64\.tar\.gz\)$/\1/p' "$work/SHA256SUMS")
  found=${archive#weft-} && found=${found%-linux-x64.tar.gz}
  [ -n "$archive" ] && { [ "$version" = latest ] || [ "$version" = "$found" ]; } ||
    fail "the release has no build of $version for linux-x64"
  download "$archive"
  (cd "$work" && grep -F "  $archive" SHA256SUMS | sha256sum -c - >/dev/null 2>&1) ||
    fail "$archive is not what the release says: nothing was installed"
  tar -xzf "$work/$archive" -C "$work"
  said=$("$work/weft-$found/bin/weft.js" --version 2>&1) && [ "$said" = "$found" ] ||
    fail "this build does not run here ($said). With Node.js 22.13 or newer: npm install --global @weft-cli/weft"

  # The version before stays, because a weft that runs may need its files.
  before=$(readlink "$link" || true)
  for old in "$library"/*; do
    case $before in "$old"/*) ;; *) rm -rf "$old" ;; esac
  done
  [ ! -e "$library/$found" ] || mv "$library/$found" "$work/replaced"
  mv "$work/weft-$found" "$library/$found"
  ln -s "$library/$found/bin/weft.js" "$work/link"
  mv -f "$work/link" "$link"
  echo "Installed weft $found as $link."
  case :$PATH: in
  *:"$prefix/bin":*) ;;
  *) echo "Add it to your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
  esac
}

uninstall() {
  [ -L "$link" ] || fail "there is no weft from this script in $prefix"
  rm -rf "$link" "$library"
  echo "Removed weft from $prefix. Your settings and sessions are still there."
}

# download FILE: puts a file of the release into the work folder.
download() {
  if command -v curl >/dev/null; then
    curl -fsSL -o "$work/$1" "$from/$1"
  elif command -v wget >/dev/null; then
    wget -q -O "$work/$1" "$from/$1"
  else
    fail 'curl and wget are missing: install one of them first'
  fi || fail "could not download $from/$1: check the network and the version"
}

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

main "$@"
