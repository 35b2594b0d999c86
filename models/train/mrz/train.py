#!/usr/bin/env python3
"""Trains the line reader for machine-readable zones on rendered text and writes it as ONNX.

  python3 models/train/mrz/train.py --out models/mrz-lines-1.onnx

Needs the packages python3-torch, python3-opencv, python3-pil, fonts-ocr-b, fonts-ocr-a, fonts-dejavu-core, fonts-liberation,
fonts-freefont-ttf, fonts-inconsolata, fonts-hack, fonts-noto-mono of Debian 12. Everything is drawn from --seed.
"""
import argparse
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np
import torch
from torch import nn

from network import BLANK, CLASSES, HEIGHT, STRIDE, SYMBOLS, Exported, Reader
from strips import WIDTH, Strips, encode, normalise


class Batches(torch.utils.data.IterableDataset):
    def __init__(self, seed, size):
        self.seed, self.size = seed, size

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        strips = Strips(self.seed * 1000 + (worker.id if worker else 0))
        while True:
            yield batch(strips, self.size)


def batch(strips, size):
    pictures, labels, symbols, lengths = np.empty((size, 1, HEIGHT, WIDTH), np.float32), [], [], []
    for i in range(size):
        strip, text, columns = strips.sample()
        pictures[i, 0] = normalise(strip)
        codes, frames = encode(text, columns)
        labels.append(frames)
        symbols += codes
        lengths.append(len(codes))
    return (torch.from_numpy(pictures), torch.from_numpy(np.stack(labels)), torch.tensor(symbols), torch.tensor(lengths))


def read(logits):
    """The best symbol of each frame, without repetitions and blanks."""
    best = logits.argmax(2)
    texts = []
    for row in best.tolist():
        texts.append(''.join(SYMBOLS[c] for i, c in enumerate(row) if c != BLANK and (i == 0 or c != row[i - 1])))
    return texts


def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        before, row[0] = row[0], i + 1
        for j, y in enumerate(b):
            before, row[j + 1] = row[j + 1], min(row[j + 1] + 1, row[j] + 1, before + (x != y))
    return row[-1]


def check(reader, sets, name):
    reader.eval()
    wrong = symbols = lines = errors = invented = empty = 0
    with torch.no_grad():
        for pictures, _, codes, lengths in sets:
            at = 0
            for text, length in zip(read(reader(pictures)), lengths.tolist()):
                truth = ''.join(SYMBOLS[c] for c in codes[at:at + length].tolist())
                at += length
                if length == 0:
                    empty += 1
                    invented += len(text) > 2
                    continue
                e = distance(text, truth)
                wrong += e
                symbols += length
                errors += e > 0
                lines += 1
    print('%s: %d lines, %.2f %% wrong symbols, %.1f %% lines with an error; %d of %d strips without a line read' % (
        name, lines, 100 * wrong / max(1, symbols), 100 * errors / max(1, lines), invented, empty), flush=True)
    reader.train()


def main():
    options = argparse.ArgumentParser()
    options.add_argument('--out', default='mrz-lines-1.onnx')
    options.add_argument('--seed', type=int, default=1)
    options.add_argument('--steps', type=int, default=3000)
    options.add_argument('--batch', type=int, default=64)
    options.add_argument('--rate', type=float, default=3e-3)
    options.add_argument('--workers', type=int, default=1)
    options.add_argument('--threads', type=int, default=1)
    options.add_argument('--every', type=int, default=300)
    options.add_argument('--minutes', type=float, default=0, help='stop earlier; the rate falls over this time')
    options.add_argument('--state', default='', help='where to keep the weights for a later run')
    options.add_argument('--resume', default='')
    a = options.parse_args()
    torch.manual_seed(a.seed)
    torch.set_num_threads(a.threads)
    reader = Reader()
    print(sum(p.numel() for p in reader.parameters()), 'weights', flush=True)
    if a.resume:
        reader.load_state_dict(torch.load(a.resume))
    average = {k: v.clone() for k, v in reader.state_dict().items()}
    optimiser = torch.optim.AdamW(reader.parameters(), lr=a.rate, weight_decay=1e-2)
    validation = Strips(987654)
    sets = [batch(validation, 64) for _ in range(6)]
    source = iter(torch.utils.data.DataLoader(Batches(a.seed, a.batch), batch_size=None, num_workers=a.workers, prefetch_factor=8 if a.workers else 2))
    start = time.time()
    total, step = 0., 0
    while True:
        part = step / a.steps
        if a.minutes:
            part = max(part, (time.time() - start) / 60 / a.minutes)
        if part >= 1:
            break
        warm = min(1., (step + 1) / 100)
        for group in optimiser.param_groups:
            group['lr'] = a.rate * warm * (.5 + .5 * np.cos(np.pi * part)) + 1e-5
        pictures, labels, symbols, lengths = next(source)
        logits = reader(pictures)
        frames = nn.functional.cross_entropy(logits.reshape(-1, CLASSES), labels.reshape(-1), ignore_index=-1)
        # Repeated symbols are told apart by blanks; the sum over all alignments comes in once shapes are known.
        loss = frames
        if step > 300 or a.resume:
            chances = logits.log_softmax(2).permute(1, 0, 2)
            # The sum over a strip counts the same with and without a line.
            ctc = nn.functional.ctc_loss(chances, symbols, torch.full((len(lengths),), WIDTH // STRIDE), lengths, blank=BLANK, reduction='sum', zero_infinity=True)
            loss = .6 * frames + .4 * ctc / (18 * len(lengths))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(reader.parameters(), 5.)
        optimiser.step()
        keep = min(.998, (1 + step) / (10 + step))
        with torch.no_grad():
            for name, value in reader.state_dict().items():
                if value.dtype.is_floating_point:
                    average[name].mul_(keep).add_(value, alpha=1 - keep)
                else:
                    average[name].copy_(value)
        total += float(loss.detach())
        step += 1
        if step % 50 == 0:
            print('step %d loss %.4f (%.0f s)' % (step, total / 50, time.time() - start), flush=True)
            total = 0.
        if step % a.every == 0:
            now = {k: v.clone() for k, v in reader.state_dict().items()}
            reader.load_state_dict(average)
            check(reader, sets, 'step %d' % step)
            export(reader, a)
            reader.load_state_dict(now)
    reader.load_state_dict(average)
    check(reader, sets, 'end after %d steps' % step)
    export(reader, a)
    # The golden values of models/manifest.json, for the input of src/inference/golden.ts.
    shape = (1, 1, HEIGHT, 64)
    values = np.abs(np.sin(np.arange(HEIGHT * 64) * .37)).astype(np.float32).reshape(shape)
    reader.eval()
    with torch.no_grad():
        print('golden', ['%.7g' % v for v in reader(torch.from_numpy(values)).flatten()[:8].tolist()])


def export(reader, a):
    if a.state:
        torch.save(reader.state_dict(), a.state)
    reader.eval()
    torch.onnx.export(
        Exported(reader).eval(), torch.zeros(1, 1, HEIGHT, WIDTH), a.out, input_names=['strip'], output_names=['logits'],
        dynamic_axes={'strip': {3: 'w'}, 'logits': {1: 't'}}, opset_version=12,
    )
    reader.train()


if __name__ == '__main__':
    main()
