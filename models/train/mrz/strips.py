"""Rendered strips of one line, degraded as cameras, printers and folders do it. Grey levels are 0..255, float32."""
import fnmatch
import glob
import os

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from network import BLANK, HEIGHT, STRIDE, SYMBOLS
from texts import Texts

cv2.setNumThreads(1)

WIDTH = 320
CAP = 20  # height of a capital letter on the canvas, in pixels
NOMINAL_CAP, NOMINAL_PITCH = 20., 14.  # in the strip
ROWS = 3 * CAP  # of the canvas; the line stands in the middle

FOLDERS = ['/usr/share/fonts']
# Most zones are printed in OCR-B. The others keep the reader from relying on one drawing of each letter.
FONTS = [
    ('OCRB.otf', 30), ('ocrb*.otf', 30), ('ocrb*.ttf', 30), ('OCRB*.ttf', 30),
    ('DejaVuSansMono.ttf', 3), ('LiberationMono-Regular.ttf', 3), ('LiberationMono-Bold.ttf', 2), ('FreeMonoBold.ttf', 2),
    ('Inconsolata*.otf', 3), ('Inconsolata*.ttf', 3), ('Hack-Regular.ttf', 3), ('NotoMono-Regular.ttf', 2), ('OCRA.otf', 1), ('OCRA.ttf', 1),
]


def find_fonts():
    """The installed fonts of the list with their shares; OCR-B must be there."""
    files = [f for folder in FOLDERS for f in glob.glob(os.path.join(folder, '**', '*'), recursive=True)]
    found = {}
    for pattern, share in FONTS:
        for file in sorted(files):
            if fnmatch.fnmatch(os.path.basename(file), pattern) and file not in found:
                found[file] = share
    if not any('ocrb' in os.path.basename(f).lower() for f in found):
        raise SystemExit('no OCR-B font: apt-get install fonts-ocr-b')
    return sorted(found.items())


class Glyphs:
    """The symbols of one font, each on a tile of its own, scaled so that capital letters are CAP pixels high."""

    def __init__(self, file):
        self.name = os.path.basename(file)
        size = 4 * CAP
        for _ in range(2):
            font = ImageFont.truetype(file, int(round(size)))
            left, top, right, bottom = font.getbbox('H')
            size *= CAP * 2 / max(1, bottom - top)
        font = ImageFont.truetype(file, int(round(size)))
        left, top, right, bottom = font.getbbox('H')
        self.advance = font.getlength('H') / 2 / CAP
        self.tiles = {}
        side = 4 * CAP
        for symbol in SYMBOLS + 'abcdefghijklmnopqrstuvwxyz.,:/-()*+':
            tile = Image.new('L', (side, side), 0)
            width = font.getlength(symbol)
            ImageDraw.Draw(tile).text(((side - width) / 2, side / 2 - (top + bottom) / 2), symbol, 255, font=font)
            self.tiles[symbol] = cv2.resize(np.asarray(tile), (side // 2, side // 2), interpolation=cv2.INTER_AREA)


class Strips:
    def __init__(self, seed):
        self.r = np.random.RandomState(seed)
        cv2.setRNGSeed(seed)
        self.texts = Texts(self.r)
        fonts = find_fonts()
        self.fonts = [Glyphs(file) for file, _ in fonts]
        ocrb = ['ocrb' in glyphs.name.lower() for glyphs in self.fonts]
        shares = np.array([share for _, share in fonts], float)
        shares[ocrb] *= 70 / shares[ocrb].sum()
        shares[np.logical_not(ocrb)] *= 30 / max(1, shares[np.logical_not(ocrb)].sum())
        self.shares = shares / shares.sum()
        # One print is photographed several times.
        self.print, self.uses = None, 0

    # draws
    def u(self, a, b):
        return self.r.uniform(a, b)

    def lu(self, a, b):
        return float(np.exp(self.r.uniform(np.log(a), np.log(b))))

    def chance(self, p):
        return self.r.rand() < p

    def smooth(self, rows, columns, cell):
        """Smooth noise of about unit deviation."""
        grid = self.r.randn(max(2, int(rows / cell) + 2), max(2, int(columns / cell) + 2)).astype(np.float32)
        return cv2.resize(grid, (columns, rows), interpolation=cv2.INTER_CUBIC)

    # what is printed
    def ink(self, canvas, glyphs, text, pitch, left, middle, jitter=0.):
        """Prints a line; returns the middles of its characters."""
        middles = []
        half = 2 * CAP // 2
        for i, symbol in enumerate(text):
            x = left + (i + .5) * pitch
            middles.append(x)
            tile = glyphs.tiles.get(symbol)
            if tile is None:
                continue
            x0, y0 = int(round(x - half)), int(round(middle - half + (self.u(-jitter, jitter) if jitter else 0)))
            a, b = max(0, y0), min(canvas.shape[0], y0 + 2 * half)
            c, d = max(0, x0), min(canvas.shape[1], x0 + 2 * half)
            if a < b and c < d:
                np.maximum(canvas[a:b, c:d], tile[a - y0:b - y0, c - x0:d - x0], out=canvas[a:b, c:d])
        return middles

    def paper(self, rows, columns):
        """Reflectance of the paper with its security print."""
        out = np.full((rows, columns), self.u(.6, .95), np.float32)
        yy, xx = np.mgrid[0:rows, 0:columns].astype(np.float32)
        if self.chance(.6):
            for _ in range(self.r.randint(1, 3)):
                angle, period = self.u(0, np.pi), self.lu(2.5, 45)
                wave = self.u(0, 6) * np.sin(xx[:1] / self.lu(10, 120) + self.u(0, 6)) + self.u(0, 6) * np.sin(yy[:, :1] / self.lu(6, 40))
                phase = (xx * np.cos(angle) + yy * np.sin(angle) + wave) * 2 * np.pi / period
                line = np.cos(phase)
                if self.chance(.6):
                    line = np.clip((line - self.u(.4, .9)) * 6, 0, 1)
                out -= self.lu(.01, .1) * line
        if self.chance(.4):
            out += self.u(.01, .08) * self.smooth(rows, columns, self.lu(6, 80))
        if self.chance(.15):  # a photo or a coat of arms reaches in
            patch = self.smooth(rows, columns, self.lu(4, 25)) * self.u(.05, .25)
            out += patch * (xx > columns * self.u(.0, 1.)) if self.chance(.5) else patch * (yy < rows * self.u(.1, .45))
        return np.clip(out, .12, 1)

    def canvas(self):
        """A printed line with its surroundings: reflectance, text, middles of the characters."""
        glyphs = self.fonts[self.r.choice(len(self.fonts), p=self.shares)]
        pitch = CAP * (self.u(.88, 1.12) if 'ocrb' in glyphs.name.lower() else np.clip(glyphs.advance * self.u(.95, 1.25), .68, 1.15))
        whole = self.texts.line()
        most = self.r.randint(14, 22)
        if len(whole) > most:
            first = self.pick_start(len(whole), most)
            text = whole[first:first + most]
        else:
            text = whole
        before, after = self.u(.2, 3), self.u(.2, 3)
        columns = int((len(text) + before + after) * pitch)
        mask = np.zeros((ROWS, columns), np.uint8)
        middles = self.ink(mask, glyphs, text, pitch, before * pitch, ROWS / 2, .8 if self.chance(.2) else 0)
        if self.chance(.75):  # the other lines of the zone
            distance = CAP * self.u(1.55, 2.4)
            for side in self.pick_sides():
                other = self.texts.line()[:most + 8]
                self.ink(mask, glyphs, other, pitch, before * pitch - self.r.randint(0, 4) * pitch, ROWS / 2 + side * distance)
        weight = cv2.GaussianBlur(mask, (0, 0), self.lu(.4, 1.)).astype(np.float32) / 255
        weight = np.clip((weight - self.u(.25, .6)) * self.lu(2, 8) + .5, 0, 1)
        if self.chance(.25):  # worn or broken print
            weight *= np.clip(1 - self.u(.2, 1.) * np.clip(self.smooth(ROWS, columns, self.lu(2, 30)) - self.u(.4, 1.4), 0, 1), 0, 1)
        if self.chance(.12):  # rubbed off in spots
            spots = self.smooth(ROWS, columns, self.lu(2.5, 12))
            weight *= cv2.GaussianBlur((spots < self.u(.7, 2)).astype(np.float32), (0, 0), self.u(.4, 1.2))
        if self.chance(.08):  # dot matrix or laser engraving
            dots = self.r.rand(ROWS, columns).astype(np.float32)
            weight *= np.clip(cv2.GaussianBlur(dots, (0, 0), self.u(.6, 1.2)) * self.u(2.2, 4), 0, 1)
        paper = self.paper(ROWS, columns)
        strength = self.u(.22, .55) if self.chance(.3) else self.u(.55, 1.)
        reflect = paper * (1 - weight * strength) + weight * self.u(0, .12) * strength
        if self.chance(.15):  # a stamp, hair or scratch over the line
            for _ in range(self.r.randint(1, 4)):
                a = (int(self.u(0, columns)), int(self.u(0, ROWS)))
                b = (int(a[0] + self.u(-140, 140)), int(a[1] + self.u(-40, 40)))
                over = np.zeros((ROWS, columns), np.float32)
                cv2.line(over, a, b, 1., max(1, int(self.u(.6, 2.5))), cv2.LINE_AA)
                reflect = reflect * (1 - over * self.u(.1, .6)) + over * (self.u(0, .3) if self.chance(.6) else .5)
        # beyond the edge of the document
        edge = np.ones((ROWS, columns), np.float32)
        level = self.u(0, 1)
        if self.chance(.25) and before > .8:
            edge[:, :int(self.u(0, before - .6) * pitch)] = 0
        if self.chance(.25) and after > .8:
            edge[:, columns - int(self.u(0, after - .6) * pitch):] = 0
        if self.chance(.15):
            edge[int(ROWS / 2 + CAP * self.u(.75, 1.4)):, :] = 0
        reflect = reflect * edge + (1 - edge) * np.clip(level + .1 * self.smooth(ROWS, columns, 12), 0, 1)
        return reflect, text, np.array(middles), pitch

    def pick_start(self, length, most):
        if self.chance(.3):
            return 0
        if self.chance(.3):
            return length - most
        return self.r.randint(0, length - most + 1)

    def pick_sides(self):
        return [[-1], [1], [-1, 1], [-1, 1]][self.r.randint(4)]

    # what the camera makes of it
    def strip(self):
        """Returns the strip [32,WIDTH] as grey levels, its text, and the columns of its characters."""
        while True:
            if self.uses == 0:
                self.print, self.uses = self.canvas(), 3
            self.uses -= 1
            reflect, text, middles, pitch = self.print
            strip, columns = self.photograph(reflect, middles, pitch)
            if strip is not None:
                break
            self.uses = 0
        if self.chance(.1):
            kind = self.r.randint(3)
            if kind != 1:
                strip = strip[::-1]
            if kind != 2:
                strip = strip[:, ::-1]
            return np.ascontiguousarray(strip), '', np.zeros(0)
        return strip, text, columns

    def nothing(self):
        """A strip without a line: background, or print that is no machine-readable zone."""
        glyphs = self.fonts[self.r.choice(len(self.fonts))]
        columns = int(CAP * 22)
        mask = np.zeros((ROWS, columns), np.uint8)
        kind = self.r.randint(4)
        lower = 'abcdefghijklmnopqrstuvwxyz   .,:/-()*+'
        if kind == 0:
            text = ''.join(lower[self.r.randint(len(lower))] for _ in range(30))
            self.ink(mask, glyphs, text, CAP * self.u(.45, .75), 0, ROWS / 2)
        elif kind == 1:  # between two lines
            for side in (-1, 1):
                self.ink(mask, glyphs, self.texts.line(), CAP * .95, 0, ROWS / 2 + side * CAP * self.u(.85, 1.1))
        reflect = self.paper(ROWS, columns) * (1 - mask.astype(np.float32) / 255 * self.u(.5, 1))
        if kind == 3:
            reflect = np.clip(reflect + self.smooth(ROWS, columns, self.lu(2, 30)) * self.u(.02, .4), 0, 1)
        strip, _ = self.photograph(reflect, np.array([columns / 2]), CAP, anywhere=True)
        return strip, '', np.zeros(0)

    def photograph(self, reflect, middles, pitch, anywhere=False):
        hard = self.u(.1, 1)
        rows, columns = reflect.shape
        # The camera: cap height in its pixels.
        scale = self.lu(6.5, 26) / CAP
        wide, high = max(24, int(columns * scale)), max(12, int(rows * scale))
        # Photo to canvas: perspective along the line, bend, tilt. The strip is cut straight out of the photo.
        x = np.arange(wide, dtype=np.float32) + .5
        y = np.arange(high, dtype=np.float32) + .5
        t = x / wide - .5
        squeeze = self.u(-.12, .12) if self.chance(.6) else 0
        u = columns * (t + .5 + squeeze * (t * t - .25))
        if self.chance(.3):
            u += columns * self.u(-.012, .012) * np.sin(np.pi * self.u(.5, 3) * (t + .5) + self.u(0, 6))
        sag = CAP * (self.u(-.12, .12) * t * 2 + (self.u(-.25, .25) * (t * t * 4 - .3) if self.chance(.5) else 0))
        if self.chance(.15):  # a fold
            sag += CAP * self.u(-.25, .25) * np.abs(t - self.u(-.4, .4))
        taper = 1 + (self.u(-.12, .12) * t * 2 if self.chance(.5) else 0)
        shear = self.u(-.2, .2) if self.chance(.5) else 0
        v = (y[:, None] / high - .5) * rows * taper + rows / 2 + sag
        map_x = (u + shear * (v - rows / 2)).astype(np.float32)
        map_y = np.broadcast_to(v, map_x.shape).astype(np.float32)
        sigma = .45 / scale if scale < 1 else 0
        source = cv2.GaussianBlur(reflect, (0, 0), sigma) if sigma > .5 else reflect
        photo = cv2.remap(source, map_x - .5, map_y - .5, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        # Light.
        light = self.lu(.5, 1.15) * (1 + self.u(-.35, .35) * t[None, :] * 2 + self.u(-.25, .25) * (y[:, None] / high - .5) * 2)
        if self.chance(.3 * hard):  # a shadow with an edge
            angle, at = self.u(-.6, .6), self.u(-.5, .5)
            place = (t[None, :] - at) * wide + np.tan(angle) * (y[:, None] - high / 2)
            light = light * (1 - self.u(.2, .65) / (1 + np.exp(-np.clip(place / self.lu(.6, 40) * (1 if self.chance(.5) else -1), -30, 30))))
        photo = photo * light
        if self.chance(.25 * hard):  # glare, hologram
            for _ in range(self.r.randint(1, 3)):
                d = ((t[None, :] - self.u(-.5, .5)) * wide / high / self.lu(.3, 3)) ** 2 + ((y[:, None] / high - self.u(0, 1)) / self.lu(.3, 2)) ** 2
                photo = photo + self.lu(.05, .9) * np.exp(-d)
        if self.chance(.5 * hard):
            photo = photo * self.u(.7, 1) + self.u(0, .15)  # veil
        photo = photo.astype(np.float32)
        # Lens and movement, relative to the size of the print so that it stays legible.
        cap = CAP * scale
        blur = self.r.rand()
        if blur < .4:
            photo = cv2.GaussianBlur(photo, (0, 0), self.lu(.3, .32 + .09 * cap * hard))
        elif blur < .6:
            radius = self.u(.5, .55 + .2 * cap * hard)
            side = 2 * int(np.ceil(radius)) + 1
            gy, gx = np.mgrid[0:side, 0:side] - side // 2
            disk = np.clip(radius + .5 - np.hypot(gx, gy), 0, 1).astype(np.float32)
            photo = cv2.filter2D(photo, -1, disk / disk.sum(), borderType=cv2.BORDER_REPLICATE)
        elif blur < .87:
            length, angle = self.u(1, 1.2 + .42 * cap * hard), self.u(0, np.pi)
            side = 2 * int(np.ceil(length / 2)) + 3
            kernel = np.zeros((side, side), np.float32)
            for s in np.linspace(-.5, .5, 4 * side):
                px, py = side / 2 - .5 + s * length * np.cos(angle), side / 2 - .5 + s * length * np.sin(angle)
                ix, iy = int(px), int(py)
                fx, fy = px - ix, py - iy
                kernel[iy:iy + 2, ix:ix + 2] += np.outer([1 - fy, fy], [1 - fx, fx])[:side - iy, :side - ix]
            photo = cv2.filter2D(photo, -1, kernel / kernel.sum(), borderType=cv2.BORDER_REPLICATE)
        photo = np.clip(photo, 0, self.u(.9, 1.3)) ** self.u(.45, 1.)
        low, gain = self.u(0, .12), self.u(.65, 1)
        photo = 255 * (low + gain * photo)
        if self.chance(.12 * hard):  # a screen
            angle, period = self.u(0, np.pi), self.lu(2, 12)
            photo = photo * (1 + self.u(.02, .12) * np.cos((x[None, :] * np.cos(angle) + y[:, None] * np.sin(angle)) * 2 * np.pi / period))
        if self.chance(.7):
            grain = self.r.randn(high, wide).astype(np.float32)
            if self.chance(.4):
                grain = cv2.GaussianBlur(grain, (0, 0), self.u(.4, .9)) * 1.6
            low, high_level = np.percentile(photo[::2, ::2], [3, 90])
            photo = photo + grain * self.lu(.5, 3 + 17 * hard) * float(np.clip((high_level - low) / 110, .25, 1))
        if self.chance(.2):  # sharpened by the camera
            photo = photo + self.u(.3, 1.5) * (photo - cv2.GaussianBlur(photo, (0, 0), self.u(.7, 1.5)))
        photo = np.clip(photo, 0, 255).astype(np.uint8)
        if self.chance(.65):
            quality = int(self.lu(96 - 84 * hard, 96))
            pad_y, pad_x = self.r.randint(0, 8), self.r.randint(0, 8)
            padded = cv2.copyMakeBorder(photo, pad_y, 8, pad_x, 8, cv2.BORDER_REPLICATE)
            padded = cv2.imdecode(cv2.imencode('.jpg', padded, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], 0)
            photo = padded[pad_y:pad_y + high, pad_x:pad_x + wide]
        if self.chance(.03):  # black and white, as a fax or a copy
            photo = cv2.adaptiveThreshold(photo, 255, cv2.ADAPTIVE_THRESH_GAUSSIAN_C, cv2.THRESH_BINARY, max(3, int(cap) * 2 | 1), 8)
        # The strip: straight, of nominal size with the errors of the finder.
        tall = NOMINAL_CAP * np.exp(self.r.normal(0, .1)) / (CAP * scale)
        narrow = NOMINAL_PITCH * np.exp(np.clip(self.r.normal(0, .1), -.22, .22)) / (pitch * scale)
        shift = self.r.normal(0, 1.3)
        if not anywhere:
            place = np.interp(middles, u, x)
            span = (place[-1] - place[0] + 2 * pitch * scale) * narrow
            if span > WIDTH - 4:
                narrow *= (WIDTH - 4) / span
                if narrow * pitch * scale < 10.5:
                    return None, None
            slack = max(0., WIDTH - (place[-1] - place[0]) * narrow - 1.4 * NOMINAL_PITCH)
            first = .7 * NOMINAL_PITCH + self.u(0, 1) * slack
            origin = place[0] - first / narrow
        else:
            origin = self.u(0, max(0, wide - WIDTH / narrow))
        sx = (np.arange(WIDTH, dtype=np.float32) + .5) / narrow + origin
        # The finder follows the line: the mean of the bend is taken out, with an error.
        centre = self.u(.5, 1) * (np.interp(sx, x, -sag / rows * high).astype(np.float32))
        sy = (np.arange(HEIGHT, dtype=np.float32) + .5 - HEIGHT / 2 + shift)[:, None] / tall + high / 2 + centre[None, :]
        if 1 / narrow > 1.5 or 1 / tall > 1.5:
            photo = cv2.GaussianBlur(photo, (0, 0), max(.3, .35 / max(narrow, 1e-3)), sigmaY=max(.3, .35 / tall))
        strip = cv2.remap(photo, np.broadcast_to(sx, sy.shape).astype(np.float32) - .5, sy.astype(np.float32) - .5, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        columns_out = (np.interp(middles, u, x) - origin) * narrow
        return strip.astype(np.float32), columns_out

    def sample(self):
        return self.nothing() if self.chance(.06) else self.strip()


RADIUS = 40


def normalise(strip):
    """Subtracts the mean around each column and divides by the deviation. `src/vision/document/normalise-strip.ts` does the same."""
    first, second = strip.mean(0), (strip * strip).mean(0)
    width = strip.shape[1]
    ends = np.minimum(np.arange(width) + RADIUS + 1, width)
    starts = np.maximum(np.arange(width) - RADIUS, 0)

    def around(values):
        sums = np.concatenate([[0], np.cumsum(values, dtype=np.float64)])
        return (sums[ends] - sums[starts]) / (ends - starts)

    mean = around(first)
    spread = np.maximum(around(second) - mean * mean, 0)
    floor = .4 * np.sqrt(spread.mean())
    scale = 1 / (np.maximum(np.sqrt(spread), floor) + 3)
    return ((strip - mean) * scale).astype(np.float32)


def encode(text, columns):
    """Symbols for CTC, and for each frame its class: a symbol near its middle, blank between two, -1 for neither."""
    frames = WIDTH // STRIDE
    labels = np.full(frames, BLANK, np.int64)
    centres = (np.arange(frames) + .5) * STRIDE
    symbols = [SYMBOLS.index(c) for c in text]
    if len(text):
        near = np.abs(centres[:, None] - columns[None, :])
        closest = near.argmin(1)
        distance = near.min(1)
        pitch = (columns[-1] - columns[0]) / max(1, len(text) - 1)
        labels[distance < .36 * pitch] = -1
        labels[distance < .22 * pitch] = np.array(symbols)[closest[distance < .22 * pitch]]
    return symbols, labels
