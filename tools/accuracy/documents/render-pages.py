#!/usr/bin/env python3
"""Renders pictures of made-up documents for `npm run accuracy -- documents`: whole pages in a scene, one kind of degradation each.

  python3 tools/accuracy/documents/render-pages.py --out PAGES --pages 2000 --seed 20261123

Writes PAGES/NNNN.jpg and PAGES/truth.csv (file, degradation, format, lines, printed). With --fields the pages show what their zones say, and
`printed` names these fields; else they show any words. Shares only the texts with the training of the reader
(`models/train/mrz/texts.py`): paper, print, camera and light are drawn by this file. Needs python3-opencv, python3-pil, fonts-ocr-b,
fonts-dejavu-core.
"""
import argparse
import csv
import glob
import os
import sys

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'models', 'train', 'mrz'))
from texts import Texts

DEGRADATIONS = ['none', 'blur', 'motion', 'glare', 'tilt', 'turned', 'low resolution', 'jpeg', 'shadow', 'fold', 'noise', 'weak print']
MM = 8.  # pixels of the page per millimetre
SIZES = {'TD1': (85.6, 54.), 'TD2': (105., 74.), 'TD3': (125., 88.), 'MRVA': (120., 80.), 'MRVB': (105., 74.)}


def ocrb():
    found = sorted(f for f in glob.glob('/usr/share/fonts/**/*', recursive=True) if os.path.basename(f) == 'OCRB.otf')
    if not found:
        raise SystemExit('no OCR-B font: apt-get install fonts-ocr-b')
    return found


def cap_font(file, cap):
    """A font whose capital letters are `cap` pixels high."""
    font = ImageFont.truetype(file, 100)
    _, top, _, bottom = font.getbbox('H')
    return ImageFont.truetype(file, max(1, round(100 * cap / (bottom - top))))


cv2.setNumThreads(1)


class Pages:
    def __init__(self, seed, fields=False):
        self.shows_fields = fields
        self.r = np.random.RandomState(seed)
        self.texts = Texts(self.r)
        self.fonts = ocrb()
        self.sans = '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf'

    def u(self, a, b):
        return float(self.r.uniform(a, b))

    def kind(self):
        while True:
            lines = self.texts.zone()
            if lines[0].startswith('IDFRA') and len(lines) == 2 and len(lines[1]) == 36:
                return 'FRA-ID', lines
            kind = {30: 'TD1', 36: 'TD2', 44: 'TD3'}[len(lines[0])]
            if lines[0][0] == 'V':
                kind = 'MRVA' if kind == 'TD3' else 'MRVB'
            return kind, lines

    def date(self, digits, latest):
        """A date of a zone as pages print it. Years after `latest` are of the last century."""
        year, month, day = int(digits[:2]), int(digits[2:4]), int(digits[4:])
        year += 2000 if year <= latest else 1900
        name = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split()[month - 1]
        return ['%02d.%02d.%d' % (day, month, year), '%02d %s %d' % (day, name, year), '%02d %s %02d' % (day, name, year % 100)][self.r.randint(3)]

    def fields(self, kind, lines):
        """(name, label, text) of what the zone states."""
        if kind == 'FRA-ID':
            names, number, birth, sex, state, expiry = lines[0][5:30] + '<<' + lines[1][13:27], lines[1][:12], lines[1][27:33], lines[1][34], '', ''
        elif kind == 'TD1':
            names, number, birth, sex, state, expiry = lines[2], lines[0][5:14], lines[1][:6], lines[1][7], lines[1][15:18], lines[1][8:14]
        else:
            names, number, birth, sex, state, expiry = lines[0][5:], lines[1][:9], lines[1][13:19], lines[1][20], lines[1][10:13], lines[1][21:27]
        surname, _, given = names.strip('<').partition('<<')
        found = [
            ('surname', 'Surname / Nom', surname.replace('<', ' ').strip()),
            ('given_names', 'Given names / Prénoms', ' '.join(given.replace('<', ' ').split())),
            ('document_number', 'Document No.', number.strip('<') if '<' not in number.strip('<') else ''),
            ('birth_date', 'Date of birth', self.date(birth, 26) if birth.isdigit() else ''),
            ('nationality', 'Nationality', state.strip('<')),
            ('expiry_date', 'Date of expiry', self.date(expiry, 75) if expiry.isdigit() else ''),
            ('sex', 'Sex', sex.strip('<')),
        ]
        return [field for field in found if field[2]]

    def page(self, kind, lines, faint):
        wide, high = SIZES.get(kind, SIZES['TD2'])
        w, h = int(wide * MM), int(high * MM)
        base = np.array([self.u(190, 250) for _ in range(3)], np.float32)
        yy, xx = np.mgrid[0:h, 0:w].astype(np.float32)
        page = np.ones((h, w, 3), np.float32) * base
        for _ in range(self.r.randint(2, 6)):  # security print
            a, b, p = self.u(.002, .02), self.u(.002, .02), self.u(8, 40)
            rosette = np.sin((xx + 40 * np.sin(yy * a) + 30 * np.cos(xx * b)) * 2 * np.pi / p + 12 * np.sin(yy * self.u(.005, .05)))
            page[np.abs(rosette) < .25] -= np.array([self.u(0, 28) for _ in range(3)], np.float32)
        page = Image.fromarray(np.clip(page, 0, 255).astype(np.uint8))
        draw = ImageDraw.Draw(page)
        # portrait and printed fields
        left, top = int(5 * MM), int(14 * MM)
        pw, ph = int(min(26, wide * .28) * MM), int(min(34, high * (.25 if len(lines) == 3 else .4)) * MM)
        draw.rectangle([left, top, left + pw, top + ph], fill=tuple(int(self.u(150, 225)) for _ in range(3)))
        skin = tuple(int(v) for v in np.array([225, 180, 150]) * self.u(.45, 1.05))
        draw.ellipse([left + pw * .25, top + ph * .15, left + pw * .75, top + ph * .72], fill=skin)
        draw.rectangle([left + pw * .1, top + ph * .75, left + pw * .9, top + ph], fill=tuple(int(self.u(20, 120)) for _ in range(3)))
        small, value = ImageFont.truetype(self.sans, int(1.7 * MM)), ImageFont.truetype(self.sans, int(2.6 * MM))
        draw.text((6 * MM, 4 * MM), self.texts.word() + ' ' + self.texts.word(), tuple(int(self.u(20, 120)) for _ in range(3)), font=ImageFont.truetype(self.sans, int(4 * MM)))
        words = ['Surname / Nom', 'Given names / Prénoms', 'Nationality', 'Date of birth', 'Place of birth', 'Authority']
        stated = self.fields(kind, lines) if self.shows_fields else [(None, word, None) for word in words]
        self.printed = []
        y = 15.
        for name, word, text in stated:
            if y > high - 31:
                break
            draw.text((left + pw + 4 * MM, y * MM), word, (90, 90, 110), font=small)
            draw.text((left + pw + 4 * MM, (y + 2.) * MM), text or self.texts.word(), (25, 25, 30), font=value)
            y += 6.2
            if name:
                self.printed.append(name)
        page = np.asarray(page).astype(np.float32)
        # the zone: 2.54 mm per character, 6.35 mm per line
        ink = Image.new('L', (w, h), 0)
        pen = ImageDraw.Draw(ink)
        font = cap_font(self.fonts[self.r.randint(len(self.fonts))], self.u(2.3, 2.7) * MM)
        pitch = min(self.u(2.5, 2.6), (wide - 6) / len(lines[0]))
        start = (wide - pitch * len(lines[0])) / 2 + self.u(-.5, .5)
        step = self.u(4.4, 6.4) if len(lines) == 3 else self.u(5, 6.5)
        below = self.u(4.5, 8.)
        for i, line in enumerate(lines):
            y = (high - below - (len(lines) - 1 - i) * step) * MM
            for j, symbol in enumerate(line):
                pen.text(((start + (j + .5) * pitch) * MM, y), symbol, 255, font=font, anchor='ms')
        weight = np.asarray(ink).astype(np.float32)[..., None] / 255
        dark = np.array([self.u(10, 60)] * 3, np.float32) if not faint else base * self.u(.55, .72)
        if faint and self.r.rand() < .5:
            weight = weight * (cv2.resize(self.r.rand(h // 6, w // 6).astype(np.float32), (w, h)) > self.u(.05, .25))[..., None]
        return page * (1 - weight) + weight * dark, start, step

    def grain(self, h, w, channels):
        out = np.empty((h, w, channels), np.float32)
        cv2.setRNGSeed(int(self.r.randint(2**31)))
        cv2.randn(out, 0, 1)
        return out

    def scene(self, w, h):
        kind = self.r.randint(4)
        yy, xx = np.mgrid[0:h, 0:w].astype(np.float32)
        colour = np.array([self.u(20, 230) for _ in range(3)], np.float32)
        out = np.ones((h, w, 3), np.float32) * colour
        if kind == 1:
            grain = cv2.resize(self.r.randn(h // 3 + 1, 8).astype(np.float32), (w, h))
            out += grain[..., None] * self.u(5, 25)
        if kind == 2:
            cells = cv2.resize(self.r.rand(9, 12, 3).astype(np.float32), (w, h), interpolation=cv2.INTER_NEAREST)
            out = out * .5 + cells * 120
        if kind == 3:
            out += self.grain(h, w, 1) * self.u(2, 12)
        return out + ((xx / w - .5) * self.u(-40, 40))[..., None]

    def picture(self, degradation):
        kind, lines = self.kind()
        page, _, _ = self.page(kind, lines, degradation == 'weak print')
        return self.shoot(page, degradation), kind, lines

    def shoot(self, page, degradation, lamp=None):
        """A photo of a page as JPEG. `lamp`, a small picture, multiplies the colours of all that is seen."""
        ph, pw = page.shape[:2]
        side = int(self.u(1150, 1700)) if degradation != 'low resolution' else int(self.u(430, 640))
        w, h = side, int(side * self.u(.66, .8))
        turn = self.u(-4, 4)
        if degradation == 'turned':
            turn = self.u(0, 360)
        tilt = .22 if degradation == 'tilt' else .03
        if degradation == 'tilt':
            turn = self.u(-20, 20)
        fill = self.u(.62, .9)
        a = np.deg2rad(turn)
        box = abs(pw * np.cos(a)) + abs(ph * np.sin(a)), abs(pw * np.sin(a)) + abs(ph * np.cos(a))
        scale = min(w * fill / box[0], h * min(.95, fill + .05) / box[1])
        if degradation == 'low resolution':
            scale = min(w * .94 / box[0], h * .94 / box[1])
        corners = np.array([[-pw, -ph], [pw, -ph], [pw, ph], [-pw, ph]], np.float32) / 2
        depth = np.array([self.u(-tilt, tilt), self.u(-tilt, tilt)]) / (pw / 2)
        turned = corners @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]], np.float32)
        turned = turned / (1 + corners @ depth)[:, None] * scale
        spare = np.array([w, h]) - (turned.max(0) - turned.min(0))
        turned = turned - turned.min(0) + np.maximum(spare, 0) * [self.u(.2, .8), self.u(.2, .8)]
        matrix = cv2.getPerspectiveTransform((corners + [pw / 2, ph / 2]).astype(np.float32), turned.astype(np.float32)).astype(np.float64)
        if degradation == 'fold':
            yy, xx = np.mgrid[0:ph, 0:pw].astype(np.float32)
            at, deep = self.u(.15, .85) * pw, self.u(4, 14)
            bend = deep * np.exp(-np.abs(xx - at) / self.u(60, 300)) + self.u(-14, 14) * np.sin(np.pi * xx / pw)
            light = 1 + self.u(.1, .35) * np.tanh((xx - at) / 25) * np.exp(-np.abs(xx - at) / 200)
            page = cv2.remap(page, xx, yy + bend, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE) * light[..., None]
        if scale < .8:
            page = cv2.GaussianBlur(page, (0, 0), .42 / scale)
        cover = cv2.warpPerspective(np.ones((ph, pw), np.float32), matrix, (w, h), flags=cv2.INTER_LINEAR)[..., None]
        picture = self.scene(w, h) * (1 - cover) + cv2.warpPerspective(page, matrix, (w, h), flags=cv2.INTER_LINEAR) * cover
        yy, xx = np.mgrid[0:h, 0:w].astype(np.float32)
        picture = picture * (self.u(.75, 1.05) * (1 + self.u(-.15, .15) * (xx / w - .5) + self.u(-.15, .15) * (yy / h - .5)))[..., None]
        if lamp is not None:
            picture = picture * cv2.resize(lamp, (w, h))
        cap = 2.5 * MM * scale
        if degradation == 'shadow':
            edge = (xx - w * self.u(.2, .8)) * np.cos(s := self.u(0, 6.28)) + (yy - h * self.u(.4, .9)) * np.sin(s)
            picture = picture * (1 - self.u(.35, .75) / (1 + np.exp(-np.clip(edge / self.u(3, 60), -30, 30))))[..., None]
        if degradation == 'glare':
            for _ in range(self.r.randint(1, 4)):
                cx, cy = self.u(.1, .9) * w, self.u(.3, 1) * h
                spot = np.exp(-(((xx - cx) / (w * self.u(.03, .14))) ** 2 + ((yy - cy) / (h * self.u(.02, .1))) ** 2))
                picture = picture + spot[..., None] * self.u(60, 190)
        if degradation == 'blur':
            radius = self.u(.07, .2) * cap
            side = 2 * int(np.ceil(radius)) + 1
            gy, gx = np.mgrid[0:side, 0:side] - side // 2
            disk = (np.hypot(gx, gy) <= radius).astype(np.float32)
            picture = cv2.filter2D(picture, -1, disk / disk.sum())
        if degradation == 'motion':
            length = self.u(.12, .38) * cap
            kernel = np.zeros((2 * int(length) + 5,) * 2, np.float32)
            m = kernel.shape[0] / 2 - .5
            d = self.u(0, np.pi)
            end = np.array([np.cos(d), np.sin(d)]) * length / 2
            cv2.line(kernel, tuple(np.round((m - end) * 16).astype(int)), tuple(np.round((m + end) * 16).astype(int)), 1., 1, cv2.LINE_AA, 4)
            picture = cv2.filter2D(picture, -1, kernel / kernel.sum())
        else:
            picture = cv2.GaussianBlur(picture, (0, 0), self.u(.4, .8))
        noise = self.u(8, 22) if degradation == 'noise' else self.u(.5, 3)
        picture = picture + self.grain(h, w, 3) * noise
        quality = int(self.u(12, 35)) if degradation == 'jpeg' else int(self.u(70, 95))
        picture = np.clip(picture, 0, 255).astype(np.uint8)
        return cv2.imencode('.jpg', picture[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()


def main():
    options = argparse.ArgumentParser()
    options.add_argument('--out', required=True)
    options.add_argument('--pages', type=int, default=240)
    options.add_argument('--seed', type=int, default=20261123)
    options.add_argument('--fields', action='store_true')
    a = options.parse_args()
    os.makedirs(a.out, exist_ok=True)
    pages = Pages(a.seed, a.fields)
    with open(os.path.join(a.out, 'truth.csv'), 'w', newline='') as file:
        table = csv.writer(file, lineterminator='\n')
        table.writerow(['file', 'degradation', 'format', 'line1', 'line2', 'line3', 'printed'])
        for i in range(a.pages):
            degradation = DEGRADATIONS[i % len(DEGRADATIONS)]
            picture, kind, lines = pages.picture(degradation)
            name = '%04d.jpg' % i
            with open(os.path.join(a.out, name), 'wb') as out:
                out.write(picture)
            table.writerow([name, degradation, kind] + lines + [''] * (3 - len(lines)) + [' '.join(pages.printed)])


if __name__ == '__main__':
    main()
