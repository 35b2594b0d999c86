#!/usr/bin/env bash
# The steps of the container image, for Docker and for any other machine with Node:
#   deploy/image-steps.sh install        installs what the build needs
#   deploy/image-steps.sh build TARGET   builds and assembles the application in the folder TARGET
#
# TARGET gets the bundles, the files for browsers, the networks, and production packages: no sources, bundler, compiler, weight
# packages. Start it with: node dist/node/server.mjs
# An earlier build in TARGET is replaced: stop its server before. TARGET must be outside the checkout.
#
# PROFILES   profiles whose networks are built, all of them (default: "embedded standard")
# MODELS_MIRROR  folder or address that has the downloads of "standard"
# VIDEO      decoder of clips beside our own: "auto" (default: the lean one if wasm/video/build.sh has built it, else ffmpeg's core, GPL),
#            "core", "none"
set -euo pipefail
# The server runs as another user than the one who builds.
umask 022
cd "$(dirname "$0")/.."

install_packages() {
  npm ci --no-audit --no-fund
}

# The networks of all wanted profiles, and the choice that the server starts with.
build_networks() {
  local folder=$1 profile profiles=${PROFILES:-embedded standard}
  for profile in $profiles; do
    MODELS_DIR=$folder MODEL_PROFILE=$profile node scripts/run.mjs scripts/models.ts && continue
    echo "profile $profile cannot be built: set MODELS_MIRROR, or PROFILES=embedded for an image of low assurance" >&2
    return 1
  done
  printf '{"profile":"%s"}\n' "$([[ " $profiles " == *" standard "* ]] && echo standard || echo embedded)" >"$folder/profile.json"
}

# Packages that are part of the bundles (scripts/run.mjs), and that no other package needs.
bundled=(@hono/node-server @opentelemetry/api @valibot/to-json-schema aws4fetch client-zip drizzle-orm fflate hono ipaddr.js jose
  leven valibot)

# What npm installs for other machines, what only compilers read, what the bundles hold, and fonts that reports do not use.
prune_packages() {
  local modules=$1 libc
  (cd "$modules" && rm -rf "${bundled[@]}")
  find "$modules/@expo-google-fonts/noto-sans" -mindepth 1 -maxdepth 1 -type d ! -name 400Regular ! -name 600SemiBold -exec rm -rf {} +
  rm -rf "$modules/typescript" "$modules/@typescript" "$modules/@types"
  libc=$(node -p "process.report.getReport().header.glibcVersionRuntime ? 'gnu' : 'musl'")
  find "$modules/@libsql" -maxdepth 1 -name 'linux-*' ! -name "*-$libc" -exec rm -rf {} +
  # Node loads CommonJS from this package; the other half is for browsers.
  rm -rf "$modules/@ffmpeg/core/dist/esm"
  # The encoder of AVIF, and the decoder of HEIC in other forms.
  rm -rf "$modules/@jsquash/avif/codec/enc" "$modules/libheif-js/libheif/libheif.js" "$modules"/libheif-js/libheif-wasm/libheif-bundle.*
  find "$modules" -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
}

copy_wasm() {
  local target=$1 file
  while IFS= read -r file; do
    install -D -m 644 "$file" "$target/$file"
  done < <(find wasm \( -name '*.wasm' -o -name '*.wasm.sha256' \) -not -path '*/node_modules/*')
}

# A build removes folders of TARGET, whose names are also those of folders with sources.
require_outside() {
  local target root
  mkdir -p "$1"
  target=$(cd "$1" && pwd -P)
  root=$(pwd -P)
  if [[ $target/ == "$root"/* || $root/ == "${target%/}"/* ]]; then
    echo "TARGET must be outside the checkout, and must not contain it: $target" >&2
    return 64
  fi
}

build() {
  local target=$1
  require_outside "$target"
  mkdir -p "$target/models"
  node scripts/run.mjs --bundle
  build_networks "$(cd "$target" && pwd)/models/built"
  # Not earlier: a build that fails leaves the earlier one. Of that, only the networks are kept, which are checked.
  rm -rf "$target/dist" "$target/drizzle" "$target/wasm"
  mkdir -p "$target/dist"
  cp -R dist/node "$target/dist/node"
  find "$target/dist/node" -type f ! -name server.mjs ! -name vivace.mjs ! -name health.mjs ! -name '*-program.mjs' ! -name '*-worker.mjs' -delete
  install -D -m 644 dist/browser/files.json "$target/dist/browser/files.json"
  cp -R drizzle "$target/drizzle"
  find models -maxdepth 1 -type f -exec cp {} "$target/models/" \;
  copy_wasm "$target"
  cp package.json package-lock.json .npmrc LICENSE "$target/"
  install -D -m 644 docs/licences.md "$target/docs/licences.md"
  (cd "$target" && npm ci --omit=dev --ignore-scripts --prefer-offline --no-audit --no-fund)
  case ${VIDEO:-auto} in
    auto) [ ! -f "$target/wasm/video/built/video.wasm" ] || rm -rf "$target/node_modules/@ffmpeg" ;;
    core) rm -rf "$target/wasm/video" ;;
    none) rm -rf "$target/wasm/video" "$target/node_modules/@ffmpeg" ;;
    *) echo "VIDEO must be auto, core or none" >&2; return 64 ;;
  esac
  # Scanners see the packages that are part of the bundles in it alone.
  rm "$target/node_modules/.package-lock.json"
  (cd "$target" && npm pkg delete devDependencies && npm sbom --sbom-format=cyclonedx --sbom-type=application >sbom.cdx.json)
  prune_packages "$target/node_modules"
  rm -f "$target/package-lock.json" "$target/.npmrc"
  # Copies have the rights of their originals, which a checkout may keep from others.
  chmod -R u+rwX,go+rX,go-w "$target"
}

case ${1:-} in
  install) install_packages ;;
  build) build "${2:?name the target folder}" ;;
  *) sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 64 ;;
esac
