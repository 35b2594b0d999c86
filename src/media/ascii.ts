/** Text of one byte per character, such as the names in file headers, from `start` up to `end`. */
export const asciiText = (bytes: Uint8Array, start: number, end: number): string =>
  String.fromCharCode(...bytes.subarray(start, end))
