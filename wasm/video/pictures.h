/* From decoded frames to the RGBA that the caller gets. */
#include <libavutil/frame.h>

/* Scales a frame into `rgba`, four bytes a pixel, rows without gaps: 0, or -1 where it cannot be done. */
int picture_rgba(const AVFrame *frame, int width, int height, uint8_t *rgba);
