/*
 * Reads one video clip that lies in memory: facts from its headers and packets, then pictures in order of time.
 *
 * No files, no addresses, no threads, no clock. Every call does a bounded amount of work and returns, so that the caller
 * can look at its own clock in between. One clip per instance: memory is never given back.
 *
 * Build: build.sh. Caller: src/media/video/lean-module.ts.
 */
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

#include "pictures.h"

#define EXPORT __attribute__((used, visibility("default")))

enum { DONE = 0, FRAME = 1, MORE = 2 };
enum { UNREADABLE = -1, NO_VIDEO = -2, CODEC_UNKNOWN = -3, PIXELS_TOO_MANY = -4, WORK_TOO_MUCH = -5, MEMORY_FULL = -6 };

/* Packets of the clip's other streams are cheap, but they are counted too. */
#define PACKETS_PER_CALL 64
#define WANTED_MAX 4096
/* Demuxers that lose their way read on and on: no sound clip is read this many times over. */
#define READS_OVER_MAX 40
#define READ_BYTES_FREE (64 << 20)
/* Before so many pictures were decoded none is left out, since fewer make no clip. */
#define DECODED_MIN 5
/* A larger step back in time is a new beginning, as in joined recordings: times go on from there. */
#define STEP_BACK_MAX 0.5

static const char *const demuxers[] = {"mov", "matroska", "avi", "ogg", "mpeg", "mpegts", "asf"};
enum { MOV, MATROSKA, AVI, OGG, MPEG, MPEGTS, ASF };

static struct {
  const uint8_t *bytes;
  int64_t size, at, read;
} file;

static struct {
  int container, pixels_max, packets_max;
} limits;

static AVFormatContext *demuxer;
static AVCodecContext *decoder;
static AVFrame *frame;
static AVPacket *packet;
static int stream_index, intra_only, at_end, packets_read, decoded, damaged, oversized;
/* Times of the packets in seconds, in the order of the file; the first picture's time is the origin. */
static double *packet_times;
static int packet_count, has_pts, restarts;
static double origin, last_time, frame_time, last_decode_time, packet_shift, frame_shift, last_stamp;
/* Size of the current picture, or of the one that was refused. */
static double picture_size[2];
static double wanted[WANTED_MAX], chosen[WANTED_MAX];
static int wanted_count, wanted_next;
static uint8_t *pixels;
static size_t pixels_size;

/* What video_facts() points to; the order is known to the caller. */
static struct {
  double width, height, matrix[4], packets, first, last, last_duration, declared, back_steps;
} facts;

static int read_file(void *opaque, uint8_t *to, int count) {
  int64_t left = file.size - file.at;
  if (left <= 0) return AVERROR_EOF;
  if (file.read > READ_BYTES_FREE + READS_OVER_MAX * file.size) return AVERROR_EXIT;
  if (count > left) count = (int)left;
  memcpy(to, file.bytes + file.at, count);
  file.at += count;
  file.read += count;
  return count;
}

static int64_t seek_file(void *opaque, int64_t offset, int whence) {
  whence &= ~AVSEEK_FORCE;
  if (whence == AVSEEK_SIZE) return file.size;
  int64_t to = whence == SEEK_SET ? offset : whence == SEEK_CUR ? file.at + offset : file.size + offset;
  if (to < 0 || to > file.size) return AVERROR(EINVAL);
  return file.at = to;
}

static void close_demuxer(void) {
  AVIOContext *io = demuxer ? demuxer->pb : NULL;
  if (demuxer) avformat_close_input(&demuxer);
  if (io) {
    av_freep(&io->buffer);
    avio_context_free(&io);
  }
}

static int open_demuxer(void) {
  const int buffer_size = 1 << 16;
  uint8_t *buffer = av_malloc(buffer_size);
  AVIOContext *io = buffer ? avio_alloc_context(buffer, buffer_size, 0, NULL, read_file, NULL, seek_file) : NULL;
  if (!io || !(demuxer = avformat_alloc_context())) return MEMORY_FULL;
  file.at = 0;
  demuxer->pb = io;
  demuxer->probesize = 2000000;
  const AVInputFormat *format = av_find_input_format(demuxers[limits.container]);
  if (avformat_open_input(&demuxer, NULL, format, NULL) < 0) {
    av_freep(&io->buffer);
    avio_context_free(&io);
    return UNREADABLE;
  }
  return avformat_find_stream_info(demuxer, NULL) < 0 ? UNREADABLE : 0;
}

static AVStream *stream(void) { return demuxer->streams[stream_index]; }

static void keep_one_stream(void) {
  for (unsigned i = 0; i < demuxer->nb_streams; i++)
    demuxer->streams[i]->discard = (int)i == stream_index ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
}

static int is_too_large(int width, int height) { return (int64_t)width * height > limits.pixels_max; }

static int open_decoder(const AVCodec *codec) {
  const AVCodecParameters *parameters = stream()->codecpar;
  decoder = avcodec_alloc_context3(codec);
  if (!decoder || avcodec_parameters_to_context(decoder, parameters) < 0) return MEMORY_FULL;
  decoder->pkt_timebase = stream()->time_base;
  /* Holds for every picture, should the size change on the way. Buffers are a little wider than pictures. */
  decoder->max_pixels = limits.pixels_max * INT64_C(11) / 10;
  if (avcodec_open2(decoder, codec, NULL) < 0) return UNREADABLE;
  const AVCodecDescriptor *descriptor = avcodec_descriptor_get(parameters->codec_id);
  intra_only = descriptor && (descriptor->props & AV_CODEC_PROP_INTRA_ONLY);
  return 0;
}

static void note_size(double width, double height) {
  picture_size[0] = width;
  picture_size[1] = height;
}

/* Decoders say only here that a picture is too large, and go on without it. */
static void read_log(void *context, int level, const char *format, va_list values) {
  if (level != AV_LOG_ERROR || !strstr(format, "exceeds specified max pixel count")) return;
  unsigned width = va_arg(values, unsigned), height = va_arg(values, unsigned);
  note_size(width, height);
  oversized = 1;
}

static void read_matrix(void) {
  const int32_t *matrix = (const int32_t *)av_stream_get_side_data(stream(), AV_PKT_DATA_DISPLAYMATRIX, NULL);
  static const int from[4] = {0, 1, 3, 4};
  for (int i = 0; i < 4; i++) facts.matrix[i] = matrix ? matrix[from[i]] / 65536.0 : i == 0 || i == 3;
}

static double seconds(int64_t timestamp) {
  return timestamp == AV_NOPTS_VALUE ? NAN : timestamp * av_q2d(stream()->time_base);
}

/* How long the headers say that the clip lasts; NAN where they do not. */
static double declared_duration(void) {
  int is_declared = demuxer->duration_estimation_method == AVFMT_DURATION_FROM_STREAM;
  return is_declared && demuxer->duration != AV_NOPTS_VALUE ? demuxer->duration / (double)AV_TIME_BASE : NAN;
}

/* Opens the clip: reads headers, decodes next to nothing. */
EXPORT int video_open(const uint8_t *bytes, int size, int container, int pixels_max, int packets_max) {
  av_log_set_callback(read_log);
  file.bytes = bytes;
  file.size = size;
  limits.container = container;
  limits.pixels_max = pixels_max;
  limits.packets_max = packets_max;
  int result = open_demuxer();
  if (result < 0) return result;
  const AVCodec *codec = NULL;
  stream_index = av_find_best_stream(demuxer, AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
  if (stream_index == AVERROR_DECODER_NOT_FOUND) return CODEC_UNKNOWN;
  if (stream_index < 0) return NO_VIDEO;
  const AVCodecParameters *parameters = stream()->codecpar;
  note_size(parameters->width, parameters->height);
  if (is_too_large(parameters->width, parameters->height)) return PIXELS_TOO_MANY;
  oversized = 0;
  if (!codec) return CODEC_UNKNOWN;
  keep_one_stream();
  frame = av_frame_alloc();
  packet = av_packet_alloc();
  packet_times = av_malloc_array(packets_max, sizeof *packet_times);
  if (!frame || !packet || !packet_times) return MEMORY_FULL;
  facts.width = parameters->width;
  facts.height = parameters->height;
  facts.first = facts.last = last_decode_time = NAN;
  facts.declared = declared_duration();
  read_matrix();
  return open_decoder(codec);
}

EXPORT const double *video_facts(void) { return (const double *)&facts; }
EXPORT const char *video_codec(void) { return avcodec_get_name(decoder->codec_id); }

/* The next packet of the stream: 0, or what av_read_frame() said. */
static int read_packet(void) {
  for (;;) {
    int result = av_read_frame(demuxer, packet);
    if (result < 0) return result;
    packets_read++;
    if (packet->stream_index == stream_index) return 0;
    av_packet_unref(packet);
  }
}

static double packet_time(void) { return seconds(packet->pts == AV_NOPTS_VALUE ? packet->dts : packet->pts) + packet_shift; }

/* Notices a new beginning of the times. */
static void note_decode_time(void) {
  double time = seconds(packet->dts);
  if (isnan(time)) return;
  if (time < last_decode_time - STEP_BACK_MAX) {
    packet_shift += last_decode_time - time;
    restarts++;
  }
  last_decode_time = time;
}

/* VP8 has packets that show nothing, edit lists of MOV leave some out. */
static int is_shown(void) {
  if (packet->flags & AV_PKT_FLAG_DISCARD) return 0;
  return decoder->codec_id != AV_CODEC_ID_VP8 || packet->size == 0 || (packet->data[0] & 0x10);
}

static void note_packet(void) {
  if (packet->pts != AV_NOPTS_VALUE) has_pts = 1;
  if (!is_shown()) return;
  facts.packets++;
  if (seconds(packet->dts) <= last_decode_time) facts.back_steps++;
  note_decode_time();
  double time = packet_time();
  packet_times[packet_count++] = time;
  if (isnan(time)) return;
  if (isnan(facts.first) || time < facts.first) facts.first = time;
  if (isnan(facts.last) || time > facts.last) {
    facts.last = time;
    facts.last_duration = seconds(packet->duration);
  }
}

/* Times of the packets as they lie in the file, NAN where there is none. */
EXPORT const double *video_times(void) { return packet_times; }

/* Reads on through the packets; MORE until the clip was seen whole or lasts longer than told. */
EXPORT int video_scan(double seconds_max) {
  for (int i = 0; i < PACKETS_PER_CALL * 16; i++) {
    if (packet_count >= limits.packets_max || packets_read >= 4 * limits.packets_max) return WORK_TOO_MUCH;
    if (read_packet() < 0) return DONE;
    note_packet();
    av_packet_unref(packet);
    if (facts.last - facts.first > seconds_max) return DONE;
  }
  return MORE;
}

static void forget_progress(void) {
  avcodec_flush_buffers(decoder);
  at_end = packets_read = decoded = damaged = 0;
  packet_shift = frame_shift = 0;
  last_time = last_stamp = last_decode_time = NAN;
}

static int rewind_clip(void) {
  const AVCodec *codec = decoder->codec;
  close_demuxer();
  int result = open_demuxer();
  if (result < 0) return result;
  if ((unsigned)stream_index >= demuxer->nb_streams) return UNREADABLE;
  if (stream()->codecpar->codec_id != codec->id) return UNREADABLE;
  keep_one_stream();
  /* The old one may know parameters of a later part of the clip alone. */
  avcodec_free_context(&decoder);
  if ((result = open_decoder(codec)) < 0) return result;
  forget_progress();
  origin = has_pts ? facts.first : NAN;
  return 0;
}

/* Formats whose index leads to pictures that can be decoded alone. */
static int has_index(void) {
  return has_pts && !restarts && (limits.container == MOV || limits.container == MATROSKA || limits.container == ASF);
}

static int go_to(double time) {
  int64_t timestamp = (int64_t)((facts.first + time) / av_q2d(stream()->time_base));
  if (av_seek_frame(demuxer, stream_index, timestamp, AVSEEK_FLAG_BACKWARD) < 0) return UNREADABLE;
  forget_progress();
  return 0;
}

/* The time of the packet that is shown first at or after a wanted time. */
static double first_packet_from(double time) {
  double best = INFINITY;
  for (int i = 0; i < packet_count; i++) {
    double at = packet_times[i] - facts.first;
    if (at >= time && at < best) best = at;
  }
  return best;
}

/* Where the caller writes the times it wants, in seconds from the first picture, ascending. */
EXPORT double *video_wanted(void) { return wanted; }

/* Starts from the beginning, or from the last picture before the first wanted one that can be decoded alone. No times:
   every picture is wanted. */
EXPORT int video_start(int count, int from_index) {
  if (count > WANTED_MAX) return WORK_TOO_MUCH;
  wanted_count = count;
  wanted_next = 0;
  for (int i = 0; i < count; i++) chosen[i] = has_pts ? first_packet_from(wanted[i]) : NAN;
  if (from_index && count > 0 && has_index()) {
    origin = facts.first;
    if (go_to(wanted[0]) == 0) return 0;
  }
  return rewind_clip();
}

/* Whether a packet's picture was chosen; those of unknown time may have been. */
static int is_chosen(void) {
  double time = packet_time() - facts.first;
  if (wanted_count == 0 || !has_pts || isnan(time)) return 1;
  for (int i = wanted_next; i < wanted_count; i++)
    if (fabs(chosen[i] - time) < 1e-6) return 1;
  return 0;
}

/* In H.265 even types below 16 are pictures that no other of the lowest layer needs (ITU-T H.265, table 7-1). */
static int is_h265_disposable(void) {
  if (decoder->extradata_size < 22 || decoder->extradata[0] != 1 || packet->size < 6) return 0;
  int prefix = (decoder->extradata[21] & 3) + 1;
  if (prefix != 4) return 0;
  int at = 0, coded = 0;
  while (at + 6 <= packet->size) {
    uint32_t length = (uint32_t)packet->data[at] << 24 | packet->data[at + 1] << 16 | packet->data[at + 2] << 8 |
                      packet->data[at + 3];
    int type = packet->data[at + 4] >> 1 & 63, layer = packet->data[at + 5] & 7;
    if (type < 32) {
      if (type >= 16 || type % 2 || layer != 1) return 0;
      coded = 1;
    }
    if (length > (uint32_t)(packet->size - at - 4)) return 0;
    at += 4 + length;
  }
  return coded;
}

static int can_be_left_out(void) {
  if (decoded < DECODED_MIN || is_chosen()) return 0;
  return intra_only || (decoder->codec_id == AV_CODEC_ID_HEVC && is_h265_disposable());
}

/* Gives the decoder a packet: 0, or WORK_TOO_MUCH. Damaged packets are the decoder's to bear. */
static int feed(void) {
  for (int i = 0; i < PACKETS_PER_CALL; i++) {
    if (packets_read >= 4 * limits.packets_max) return WORK_TOO_MUCH;
    if (read_packet() < 0) {
      at_end = 1;
      avcodec_send_packet(decoder, NULL);
      return 0;
    }
    if (is_shown()) note_decode_time();
    if (can_be_left_out()) {
      av_packet_unref(packet);
      continue;
    }
    decoder->skip_frame = decoded < DECODED_MIN || is_chosen() ? AVDISCARD_DEFAULT : AVDISCARD_NONREF;
    avcodec_send_packet(decoder, packet);
    av_packet_unref(packet);
    return 0;
  }
  return 0;
}

static void note_frame_time(void) {
  double time = seconds(frame->best_effort_timestamp);
  if (time < last_stamp - STEP_BACK_MAX) frame_shift += last_stamp - time;
  if (!isnan(time)) last_stamp = time;
  time += frame_shift;
  double step = facts.packets > 1 ? (facts.last - facts.first) / (facts.packets - 1) : 0;
  if (isnan(time)) time = isnan(last_time) ? 0 : last_time + (step > 0 ? step : 0);
  if (isnan(origin)) origin = time;
  last_time = time;
  frame_time = time - origin;
}

static int is_wanted(void) {
  const double tolerance = 1e-6;
  if (frame_time < -tolerance) return 0;
  if (wanted_count == 0) return 1;
  if (wanted_next >= wanted_count || frame_time < wanted[wanted_next] - tolerance) return 0;
  while (wanted_next < wanted_count && wanted[wanted_next] <= frame_time + tolerance) wanted_next++;
  return 1;
}

/* Decodes on by at most one picture: FRAME when it is a wanted one, MORE, DONE at the end. */
EXPORT int video_next(void) {
  if (wanted_count > 0 && wanted_next >= wanted_count && decoded >= DECODED_MIN) return DONE;
  av_frame_unref(frame);
  int result = avcodec_receive_frame(decoder, frame);
  if (oversized) return PIXELS_TOO_MANY;
  if (result == AVERROR_EOF) return DONE;
  if (result == AVERROR(ENOMEM)) return MEMORY_FULL;
  if (result < 0 && !at_end) return feed() < 0 ? WORK_TOO_MUCH : MORE;
  if (result == AVERROR(EAGAIN)) return DONE;
  if (result < 0) return ++damaged > limits.packets_max ? WORK_TOO_MUCH : MORE;
  if (++decoded > limits.packets_max) return WORK_TOO_MUCH;
  note_size(frame->width, frame->height);
  if (is_too_large(frame->width, frame->height)) return PIXELS_TOO_MANY;
  note_frame_time();
  return is_wanted() ? FRAME : MORE;
}

EXPORT double video_time(void) { return frame_time; }
/* Width and height of the current picture as it is stored, or of the one that is too large. */
EXPORT const double *video_size(void) { return picture_size; }
EXPORT int video_decoded(void) { return decoded; }

/* The current picture as it is stored, scaled, as RGBA; NULL when it cannot be made. */
EXPORT const uint8_t *video_pixels(int width, int height) {
  size_t size = (size_t)width * height * 4;
  if (is_too_large(width, height) || !frame->data[0]) return NULL;
  if (size > pixels_size) {
    av_free(pixels);
    pixels_size = 0;
    if (!(pixels = av_malloc(size + AV_INPUT_BUFFER_PADDING_SIZE))) return NULL;
    pixels_size = size;
  }
  return picture_rgba(frame, width, height, pixels) < 0 ? NULL : pixels;
}
