#!/usr/bin/env bash
# Builds the lean video decoder: built/video.wasm, from the distribution's FFmpeg sources, with Emscripten.
#
# For Debian (12 was tested). Installs what is missing (as root or through sudo), takes about four minutes on two cores
# and an hour at most beside other work, and does nothing when the module was already built from the same files.
set -euo pipefail
cd "$(dirname "$0")"

usage="usage: wasm/video/build.sh

Builds the lean video decoder, which needs Debian's packages and about four minutes. There are no arguments.
VIDEO_BUILD_DIR: where sources and objects are kept (~/.cache/vivace-video).

Exit code: 0 built or up to date, 64 wrong usage, others: it does not build."
[ "${1-}" != --help ] || { echo "$usage"; exit 0; }
[ $# -eq 0 ] || { echo "There is no argument $1

$usage" >&2; exit 64; }

# Starts itself anew under a time limit.
seconds_max=3600
[ -n "${VIDEO_BUILD_LIMITED-}" ] || VIDEO_BUILD_LIMITED=1 exec timeout --kill-after=10 "$seconds_max" bash "$PWD/build.sh" "$@"

built=$PWD/built
work=${VIDEO_BUILD_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/vivace-video}
inputs=$(cat build.sh ./*.c ./*.h | sha256sum | cut -d ' ' -f 1)
say() { echo "video decoder: $* ($SECONDS s)"; }

sources() { ls -d "$work"/ffmpeg-*/ 2>/dev/null; }

# Without sources a newer package of them is wanted: so security updates of FFmpeg arrive.
if sources >/dev/null && [ -s "$built/video.wasm" ] && [ "$(cat "$built/inputs.sha256" 2>/dev/null)" = "$inputs" ]; then
  say "is up to date"
  exit 0
fi
mkdir -p "$built" "$work"

root=()
[ "$(id -u)" -eq 0 ] || root=(sudo)
missing=()
command -v emcc >/dev/null || missing+=(emscripten)
command -v dpkg-source >/dev/null || missing+=(dpkg-dev)
command -v make >/dev/null || missing+=(make)
command -v patch >/dev/null || missing+=(patch)
command -v xz >/dev/null || missing+=(xz-utils)
if [ ${#missing[@]} -gt 0 ]; then
  say "installs ${missing[*]}"
  "${root[@]}" apt-get update -q >"$work/install.log"
  "${root[@]}" apt-get install -qy --no-install-recommends "${missing[@]}" >>"$work/install.log" 2>&1 || {
    tail -n 20 "$work/install.log"
    exit 1
  }
fi

# Sources come from where the machine's packages come from, listed in a place of our own: its lists stay as they are.
fetch() {
  local lists=$work/apt keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  [ -s "$keyring" ] || {
    say "needs Debian's source packages; run it in a container of Debian 12"
    return 1
  }
  mkdir -p "$lists/lists/partial"
  apt-get indextargets --format "deb-src [signed-by=$keyring] \$(REPO_URI) \$(RELEASE) main" 'Created-By: Packages' |
    sort -u >"$lists/sources.list"
  local apt=(apt-get -q -o "Dir::Etc::sourcelist=$lists/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$lists/lists" -o "Dir::Cache=$lists" -o APT::Sandbox::User=root)
  rm -rf "$work/new"
  mkdir "$work/new"
  "${apt[@]}" update && (cd "$work/new" && "${apt[@]}" source --only-source ffmpeg) && mv "$work"/new/ffmpeg* "$work"
}

if ! sources >/dev/null; then
  say "fetches the sources of FFmpeg"
  fetch >"$work/fetch.log" 2>&1 || {
    tail -n 20 "$work/fetch.log"
    exit 1
  }
fi
source=$(sources | tail -n 1)

decoders=h264,hevc,vp8,vp9,mjpeg,mpeg4,h263,theora,mpeg1video,mpeg2video,wmv1,wmv2,wmv3,vc1
parsers=h264,hevc,vp8,vp9,mjpeg,mpeg4video,h263,vp3,mpegvideo,vc1
# Emscripten brings the tools with their version in the name. Its compiler is called without the wrapper, which takes ten times as long
# to start, and which is needed to link alone.
tool() { command -v "$1" || compgen -c "$1-" | grep -E '^[a-z-]+[0-9]+$' | head -n 1; }
nm=$(tool llvm-nm)
compiler="$(tool clang) $(emcc --cflags)"
# No --enable-gpl, no --enable-nonfree, no outside library: what comes out is LGPL-2.1-or-later.
configuration=(
  "--cc=$compiler" --ld=emcc --ar=emar --ranlib=emranlib "--nm=$nm" --target-os=none --arch=x86_32 --enable-cross-compile
  --disable-x86asm --disable-inline-asm --disable-asm --disable-stripping --disable-runtime-cpudetect --disable-debug
  --disable-everything --disable-programs --disable-doc --disable-network --disable-pthreads --disable-autodetect
  --disable-avdevice --disable-avfilter --disable-swresample --disable-postproc
  "--enable-decoder=$decoders" "--enable-parser=$parsers"
  # The last two are not opened by themselves: program streams ask them what their streams hold.
  --enable-demuxer=mov,matroska,avi,ogg,mpegps,mpegts,asf,mpegvideo,h264
  --enable-bsf=h264_mp4toannexb,hevc_mp4toannexb,vp9_superframe_split,extract_extradata
  "--extra-cflags=-O3 -msimd128 -fno-math-errno"
)

configured=$(printf '%s\n' "${configuration[@]}" | sha256sum | cut -d ' ' -f 1)
if [ "$(cat "$source/configured" 2>/dev/null)" != "$configured" ]; then
  say "configures $(basename "$source")"
  (cd "$source" && emconfigure ./configure "${configuration[@]}") >"$work/configure.log" 2>&1 || {
    tail -n 20 "$work/configure.log"
    exit 1
  }
  say "compiles"
  libraries=(libavformat/libavformat.a libavcodec/libavcodec.a libswscale/libswscale.a libavutil/libavutil.a)
  emmake make -C "$source" -j "$(nproc)" "${libraries[@]}" >"$work/make.log" 2>&1 &
  making=$!
  while sleep 20 && kill -0 "$making" 2>/dev/null; do
    say "compiled $(find "$source" -name '*.o' | wc -l) files"
  done &
  telling=$!
  wait "$making" || {
    kill "$telling"
    tail -n 20 "$work/make.log"
    exit 1
  }
  kill "$telling" 2>/dev/null || true
  echo "$configured" >"$source/configured"
fi

say "links"
# The wrapped functions are FFmpeg's, whose inner loops h264-vectors.c replaces. Its headers rely on attributes that others ignore.
emcc -O3 -msimd128 -Wall -Wno-ignored-attributes -I"$source" ./*.c "$source"/libavformat/libavformat.a "$source"/libavcodec/libavcodec.a \
  "$source"/libswscale/libswscale.a "$source"/libavutil/libavutil.a -o "$work/video.wasm" --no-entry \
  -sSTANDALONE_WASM=1 -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=16777216 -sMAXIMUM_MEMORY=536870912 \
  -sTOTAL_STACK=1048576 -Wl,--wrap=ff_h264qpel_init,--wrap=ff_h264chroma_init,--wrap=ff_h264dsp_init \
  -sEXPORTED_FUNCTIONS=_malloc,_video_open,_video_facts,_video_codec,_video_scan,_video_times,_video_wanted,_video_start,_video_next,_video_time,_video_size,_video_decoded,_video_pixels \
  >"$work/link.log" 2>&1 || {
  tail -n 40 "$work/link.log"
  exit 1
}

mv "$work/video.wasm" "$built/video.wasm"
echo "$inputs" >"$built/inputs.sha256"
{
  echo "source    $(basename "$(ls "$work"/ffmpeg_*.dsc | tail -n 1)" .dsc), Debian"
  echo "compiler  $(emcc --version | head -n 1)"
  echo "licence   LGPL-2.1-or-later"
  (cd "$built" && sha256sum video.wasm)
} | tee "$built/provenance.txt"
say "built: $(stat -c %s "$built/video.wasm") bytes"
