/** Reads the blocks of progressive scans (annex G). */
import { isBitsBroken, markBroken, readBits, readSymbol } from './bits'
import { extend } from './huffman'
import { firstPlace, highBit, lastPlace, lowBit } from './markers'
import { Component } from './picture'
import { zigzag } from './zigzag'

/** Blocks left of a run without further coefficients. */
let blocksLeft: i32 = 0

export function startProgressive(): void {
  blocksLeft = 0
}

@inline
function coefficientAt(block: usize, place: i32): usize {
  return block + (<usize>load<u8>(zigzag + place) << 1)
}

function readDc(component: Component, block: usize): void {
  if (highBit != 0) {
    if (readBits(1)) store<i16>(block, <i16>(<i32>load<i16>(block) | (1 << lowBit)))
    return
  }
  const size = readSymbol(component.dc) & 15
  if (size != 0) component.before += extend(readBits(size), size)
  store<i16>(block, <i16>(component.before << lowBit))
}

function readAc(table: usize, block: usize): void {
  if (blocksLeft > 0) {
    blocksLeft--
    return
  }
  for (let place = firstPlace; place <= lastPlace; place++) {
    const symbol = readSymbol(table)
    const run = symbol >> 4
    const size = symbol & 15
    if (size == 0) {
      if (run < 15) {
        blocksLeft = (1 << run) - 1 + (run > 0 ? readBits(run) : 0)
        return
      }
      place += 15
      continue
    }
    place += run
    const value = extend(readBits(size), size)
    if (place > 63) {
      markBroken()
      return
    }
    store<i16>(coefficientAt(block, place), <i16>(value << lowBit))
  }
}

/** Reads the correction bit of a coefficient that is not 0. */
@inline
function correct(at: usize, bit: i32): void {
  const value = <i32>load<i16>(at)
  if (readBits(1) && (abs(value) & bit) == 0) store<i16>(at, <i16>(value < 0 ? value - bit : value + bit))
}

/** Passes over `zeros` coefficients that are 0, and corrects the others. Returns the place of the next 0. */
function passZeros(block: usize, place: i32, zeros: i32, bit: i32): i32 {
  for (; place <= lastPlace; place++) {
    const at = coefficientAt(block, place)
    if (load<i16>(at) != 0) correct(at, bit)
    else if (zeros-- == 0) break
  }
  return place
}

function refineAc(table: usize, block: usize): void {
  const bit = 1 << lowBit
  let place = firstPlace
  if (blocksLeft == 0) {
    for (; place <= lastPlace; place++) {
      const symbol = readSymbol(table)
      const run = symbol >> 4
      let value = 0
      if ((symbol & 15) == 0) {
        if (run < 15) {
          blocksLeft = (1 << run) + (run > 0 ? readBits(run) : 0)
          break
        }
      } else value = readBits(1) ? bit : -bit
      place = passZeros(block, place, run, bit)
      if (value != 0) {
        if (place > lastPlace) {
          markBroken()
          return
        }
        store<i16>(coefficientAt(block, place), <i16>value)
      }
      if (isBitsBroken()) return
    }
  }
  if (blocksLeft > 0) {
    passZeros(block, place, 64, bit)
    blocksLeft--
  }
}

/** Reads the part of a block that the scan has. */
export function readPart(component: Component, block: usize): void {
  if (firstPlace == 0) readDc(component, block)
  else if (highBit == 0) readAc(component.ac, block)
  else refineAc(component.ac, block)
}
