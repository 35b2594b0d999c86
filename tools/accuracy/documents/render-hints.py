#!/usr/bin/env python3
"""Renders pictures for the hints of `npm run accuracy -- documents`: photocopies, open booklets, and what can be taken for them.

  python3 tools/accuracy/documents/render-hints.py --out HINTS --pages 240 --seed 1

Writes HINTS/NNNN.jpg and HINTS/truth.csv: the columns of render-pages.py, and `copy` and `spread` (1, 0, or empty where neither is right).
Documents lie in coloured light. Needs what render-pages.py needs.
"""
import argparse
import csv
import importlib.util
import os

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

place = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'render-pages.py')
spec = importlib.util.spec_from_file_location('render_pages', place)
pages = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pages)
MM = pages.MM

CLASSES = ['original', 'photocopy', 'pale original', 'photocopy on a sheet', 'spread', 'on printed paper', 'spread without text', 'card on printed paper']


class Hints(pages.Pages):
    def kind_of(self, wanted):
        while True:
            kind, lines = self.kind()
            if kind in wanted:
                return kind, lines

    def lamp(self):
        """Colours of the lamp, and of a second one from the side."""
        lamp, second = np.exp(self.r.randn(3) * .07), np.exp(self.r.randn(3) * .03)
        share = np.clip(np.linspace(-1, 1, 16) + self.u(.2, .8), 0, 1)[None, :, None]
        return (lamp * (1 + (second - 1) * share)).repeat(4, 0).astype(np.float32)

    def copied(self, page):
        """In grey by a copier: its curve, toner, and paper."""
        grey = page @ np.float32([.3, .59, .11])
        grey = np.clip((grey / 255 - .5) * self.u(.9, 2.2) + self.u(.45, .75), 0, 1)
        if self.r.rand() < .4:  # dots of the printer
            yy, xx = np.mgrid[0:grey.shape[0], 0:grey.shape[1]].astype(np.float32)
            p, a = self.u(2.5, 6), self.u(0, 1.5)
            dots = np.cos(2 * np.pi * (xx * np.cos(a) + yy * np.sin(a)) / p) + np.cos(2 * np.pi * (yy * np.cos(a) - xx * np.sin(a)) / p)
            grey = np.clip((grey - .5 + dots * .2) * 3 + .5, 0, 1)
        paper, toner = np.array([self.u(225, 252)] * 3) + self.r.uniform(-5, 2, 3), np.array([self.u(15, 60)] * 3) + self.r.uniform(-3, 3, 3)
        return (toner + (paper - toner) * grey[..., None]).astype(np.float32), paper

    def write(self, page, left, top, right, bottom, ink):
        """Printed lines of any words, on white paper or a page."""
        image = Image.fromarray(np.clip(page, 0, 255).astype(np.uint8))
        draw = ImageDraw.Draw(image)
        size = self.u(2.2, 3.2)
        font = ImageFont.truetype(self.sans, int(size * MM))
        y = top
        while y < bottom - size * 1.4:
            x = left
            while x < right - 12:
                word = self.texts.word()
                draw.text((x * MM, y * MM), word, ink, font=font)
                x += draw.textlength(word + ' ', font=font) / MM
            y += size * self.u(1.5, 1.9)
        return np.asarray(image).astype(np.float32)

    def sheet(self, page, printed):
        """The page on a larger sheet of paper."""
        ph, pw = page.shape[:2]
        h, w = int(ph * self.u(1.5, 2.3)), int(pw * self.u(1.1, 1.6))
        sheet = np.ones((h, w, 3), np.float32) * printed['paper']
        if printed['text']:
            sheet = self.write(sheet, 4, 4, w / MM - 4, h / MM - 4, (30, 30, 35))
        x, y = int((w - pw) * self.u(.2, .8)), int((h - ph) * self.u(.3, 1))
        sheet[y:y + ph, x:x + pw] = page
        return sheet

    def spread(self, page, has_text):
        """An open booklet: the other page above the fold."""
        ph, pw = page.shape[:2]
        other = np.ones_like(page) * np.median(page, (0, 1)) + self.r.uniform(-15, 5)
        yy, xx = np.mgrid[0:ph, 0:pw].astype(np.float32)
        rosette = np.sin((xx + 40 * np.sin(yy * self.u(.002, .02))) * 2 * np.pi / self.u(8, 40))
        other[np.abs(rosette) < .25] -= np.array([self.u(0, 28) for _ in range(3)], np.float32)
        if has_text:
            rows = self.u(3, 9) * 5.5
            top = self.u(8, 70 - rows) if rows < 60 else 8
            left = self.u(6, 45)
            other = self.write(other, left, top, self.u(left + 45, 118), top + rows, tuple(int(self.u(20, 90)) for _ in range(3)))
            if self.r.rand() < .25:
                other = other[::-1, ::-1]
        both = np.concatenate([other, page])
        fold = np.abs(np.arange(2 * ph) - ph).astype(np.float32)
        return both * (1 - self.u(.1, .5) * np.exp(-fold / self.u(6, 40)))[:, None, None]

    def hinted(self, label):
        wanted = {'TD3'} if 'spread' in label or label == 'on printed paper' else {'TD1'} if 'card' in label else {'TD1', 'TD2', 'TD3', 'MRVA', 'MRVB', 'FRA-ID'}
        kind, lines = self.kind_of(wanted)
        page, _, _ = self.page(kind, lines, False)
        copy, spread = '0', '0'
        if label in ('spread', 'spread without text'):
            page, spread = self.spread(page, label == 'spread'), '1'
        if label == 'pale original':
            grey = page.mean(2, keepdims=True)
            page, copy = grey + (page - grey) * self.u(.15, .5), ''
        if label.startswith('photocopy'):
            page, paper = self.copied(page)
            copy = '1'
            if 'sheet' in label:
                page = self.sheet(page, {'paper': paper, 'text': False})
        if 'printed paper' in label:
            page = self.sheet(page, {'paper': np.array([self.u(225, 250)] * 3), 'text': True})
        degradation = self.r.choice(['none', 'none', 'blur', 'tilt', 'jpeg', 'shadow', 'noise', 'glare'])
        return self.shoot(page, degradation, self.lamp()), kind, lines, copy, spread


def main():
    options = argparse.ArgumentParser()
    options.add_argument('--out', required=True)
    options.add_argument('--pages', type=int, default=240)
    options.add_argument('--seed', type=int, default=1)
    a = options.parse_args()
    os.makedirs(a.out, exist_ok=True)
    hints = Hints(a.seed)
    with open(os.path.join(a.out, 'truth.csv'), 'w', newline='') as file:
        table = csv.writer(file, lineterminator='\n')
        table.writerow(['file', 'degradation', 'format', 'line1', 'line2', 'line3', 'copy', 'spread'])
        for i in range(a.pages):
            label = CLASSES[i % len(CLASSES)]
            picture, kind, lines, copy, spread = hints.hinted(label)
            name = '%04d.jpg' % i
            with open(os.path.join(a.out, name), 'wb') as out:
                out.write(picture)
            table.writerow([name, label, kind] + lines + [''] * (3 - len(lines)) + [copy, spread])


if __name__ == '__main__':
    main()
