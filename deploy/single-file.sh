#!/usr/bin/env bash
# Writes one file with server, networks, migrations and pages, for machines like this one: deploy/single-file.sh FILE
#
# Needs a checkout with its packages (npm ci) and Bun 1.4 or newer: the one of "npm run runtimes", or else the one on the path.
# MODEL_PROFILE and MODELS_DIR choose the networks, as for "npm run models". The lean decoder of clips is put in if
# wasm/video/build.sh has built it.
set -euo pipefail
out=${1:?name the file to write}
out=$(realpath -m "$out")
cd "$(dirname "$0")/.."
bun=test/runtime/node_modules/.bin/bun
[ -x "$bun" ] || bun=bun
bun=$(command -v "$bun") || { echo "Bun is not installed: npm run runtimes" >&2; exit 1; }
bun=$(realpath "$bun")

node scripts/run.mjs scripts/models.ts
models=$(realpath "${MODELS_DIR:-models/built}")
rm -rf dist/single
# As deep as src/platform, so that paths relative to a module stay valid.
"$bun" build --target=bun --packages=external --entry-naming='[name].mjs' --outdir=dist/single/bundle/program \
  src/entry/bun.ts src/platform/assess-worker.ts src/platform/pdf-worker.ts
cd dist/single
echo "await import(new URL('./bundle/program/bun.mjs', import.meta.url).href)" >start.mjs
mkdir -p models/built dist/browser node_modules/@expo-google-fonts/noto-sans
cp -R ../../drizzle .
find ../../models -maxdepth 1 -type f -exec cp {} models/ \;
cp "$models"/* models/built/
(cd ../.. && find wasm \( -name '*.wasm' -o -name '*.wasm.sha256' \) -exec install -D -m 644 {} dist/single/{} \;)
cp ../browser/files.json dist/browser/
for file in @jsquash/jpeg/codec/dec/mozjpeg_dec.wasm @jsquash/png/codec/pkg/squoosh_png_bg.wasm \
  @jsquash/webp/codec/dec/webp_dec.wasm @jsquash/webp/codec/enc/webp_enc_simd.wasm \
  @jsquash/avif/codec/dec/avif_dec.wasm libheif-js/libheif-wasm/libheif.wasm libheif-js/libheif-wasm/libheif.js \
  @expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf @expo-google-fonts/noto-sans/600SemiBold/NotoSans_600SemiBold.ttf; do
  # The decoder of HEIC is optional.
  [ ! -f "../../node_modules/$file" ] || install -D -m 644 "../../node_modules/$file" "node_modules/$file"
done
"$bun" build --compile --root=. --entry-naming='[dir]/[name].mjs' --outfile="$out" \
  ./start.mjs bundle/program/bun.mjs bundle/program/assess-worker.mjs bundle/program/pdf-worker.mjs \
  --asset=wasm --asset=models --asset=drizzle --asset=dist --asset=node_modules
