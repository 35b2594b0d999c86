/**
 * Finds the space spanned by the outputs of a linear layer. If the weights of a layer with 512 outputs have a lower rank, most
 * outputs are linear combinations of others.
 *
 * Uses only sums, products, quotients and square roots, which every machine rounds identically: the same weights give the same
 * bytes everywhere.
 */

/** A matrix `[rows,columns]` in row-major order. */
export interface Matrix {
  rows: number
  columns: number
  values: Float64Array
}

function multiply(a: Matrix, b: Matrix): Matrix {
  const values = new Float64Array(a.rows * b.columns)
  for (let row = 0; row < a.rows; row++) {
    const to = row * b.columns
    for (let k = 0; k < a.columns; k++) {
      const factor = a.values[row * a.columns + k]!
      const from = k * b.columns
      for (let column = 0; column < b.columns; column++)
        values[to + column]! += factor * b.values[from + column]!
    }
  }
  return { rows: a.rows, columns: b.columns, values }
}

function transpose({ rows, columns, values }: Matrix): Matrix {
  const out = new Float64Array(values.length)
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      out[column * rows + row] = values[row * columns + column]!
  return { rows: columns, columns: rows, values: out }
}

/** Orthonormalises rows in place (Gram-Schmidt, two passes against rounding errors). */
function orthonormalizeRows({ rows, columns, values }: Matrix): void {
  for (let row = 0; row < rows; row++) {
    const at = row * columns
    for (let pass = 0; pass < 2; pass++) {
      for (let other = 0; other < row; other++) {
        let dot = 0
        for (let i = 0; i < columns; i++) dot += values[at + i]! * values[other * columns + i]!
        for (let i = 0; i < columns; i++) values[at + i]! -= dot * values[other * columns + i]!
      }
      let square = 0
      for (let i = 0; i < columns; i++) square += values[at + i]! * values[at + i]!
      const length = Math.sqrt(square)
      for (let i = 0; i < columns; i++) values[at + i]! /= length
    }
  }
}

/** Number of iterations; few suffice because the spectrum of such layers drops steeply. */
const rounds = 4

/**
 * Finds an orthonormal basis `[count,rows]` of the dominant column space of a matrix by subspace iteration (Golub and Van Loan,
 * "Matrix Computations", 8.2.4), starting with the first columns.
 */
export function findPrincipalSpace(matrix: Matrix, count: number): Matrix {
  const across = transpose(matrix)
  let basis: Matrix = {
    rows: count,
    columns: matrix.rows,
    values: across.values.slice(0, count * matrix.rows),
  }
  orthonormalizeRows(basis)
  for (let round = 0; round < rounds; round++) {
    basis = multiply(multiply(basis, matrix), across)
    orthonormalizeRows(basis)
  }
  return basis
}

/** Projects a layer's outputs onto a basis. */
export const project = (basis: Matrix, layer: Matrix): Matrix => multiply(basis, layer)
