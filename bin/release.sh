#!/usr/bin/env bash
# The steps of a release: `bin/release.sh [--dry-run] [STEP…]`. Without a step, it runs all of them. .github/workflows/release.yml
# runs each for a tag. --dry-run tries them on this machine with the unreleased changes, and publishes nothing. The results are in
# dist/release (RELEASE_FOLDER). Steps whose tools aren't installed are skipped with a message.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(realpath -m "${RELEASE_FOLDER:-dist/release}")
dry=
[ "${1-}" != --dry-run ] || { dry=1; shift; }
version=$(node -p 'require("./package.json").version')

# Checks that the tag and the changelog have the version of package.json.
versions() {
  [ -n "$dry" ] || [ "${GITHUB_REF_NAME-}" = "v$version" ] || { echo "The tag is ${GITHUB_REF_NAME-missing}, and not v$version." >&2; return 1; }
  print_notes >/dev/null
}

# Prints the notes of this version. A dry run uses the unreleased notes.
print_notes() {
  node bin/node.cjs bin/changelog.ts notes "$version" 2>/dev/null && return
  [ -n "$dry" ] && node bin/node.cjs bin/changelog.ts notes Unreleased && return
  echo "CHANGELOG.md has no section for $version. npm version writes it." >&2
  return 1
}

checks() { .ci/run; }

long() { npm run --silent test:long; }

mutants() { npm run --silent mutants; }

# The package, with a list of the SHA-256 of its files.
pack() {
  node bin/node.cjs bin/pack.ts --to "$out"
  cp dist/sbom.cdx.json "$out/"
  (cd "$out" && sha256sum -- *.tgz sbom.cdx.json | tee SHA256SUMS)
}

# Builds the last stage of the Dockerfile from scratch. It needs no container engine, registry, or root.
image() {
  command -v buildah >/dev/null || { echo "skipped: image, because there is no buildah here"; return; }
  npm run --silent build
  folder=$(mktemp -d)
  node=$(node bin/node.cjs -p process.execPath)
  VERSION=$version sh bin/image.sh "$node" "$folder/root" "$out/signalman-$version.tar"
  rm -rf "$folder"
}

notes() {
  print_notes > "$out/notes.md"
  head -n 12 "$out/notes.md"
}

# Publishes the results of the other steps, and nothing else.
publish() {
  for file in "$out"/*.tgz; do run_or_print npm publish "$file" --provenance --access public; done
  archive="$out/signalman-$version.tar"
  [ ! -e "$archive" ] || run_or_print skopeo copy "docker-archive:$archive" "docker://ghcr.io/${GITHUB_REPOSITORY-REPOSITORY}:$version"
  run_or_print gh release create "v$version" --title "$version" --notes-file "$out/notes.md" --verify-tag "$out"/*.tgz "$out/sbom.cdx.json" "$out/SHA256SUMS"
}

run_or_print() { if [ -n "$dry" ]; then echo "would run: $*"; else "$@"; fi; }

mkdir -p "$out"
# Without arguments, the default is one string with all steps, so the inner loop splits it.
for step in "${@:-versions checks long mutants pack image notes publish}"; do
  for one in $step; do
    case $one in versions | checks | long | mutants | pack | image | notes | publish) ;; *) echo "There is no step \"$one\"." >&2; exit 2 ;; esac
    echo "== $one"
    "$one"
  done
done
