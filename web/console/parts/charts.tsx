/** Plots as SVG, as wide as their place. Each has a table with the same numbers. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { formatNumber, t } from '../language.ts'
import { Table } from './layout.tsx'

const margin = { top: 10, right: 10, bottom: 24, left: 44 }

interface Frame {
  width: number
  height: number
  /** Place of a share of the axis, 0…1, in pixels. */
  x(share: number): number
  y(share: number): number
}

interface PlotProps {
  /** What the plot shows, for screen readers. */
  label: string
  height?: number
  /** The value at the top. */
  top: number
  /** Texts below the plot, at shares of its width. */
  ticks: readonly { at: number; text: string }[]
  format?: (value: number) => string
  children: (frame: Frame) => ComponentChildren
  /** Called with the share of the width that was clicked. */
  onPick?: (share: number) => void
}

/** The least of 1, 2, 5, 10, 20, … that is not below a value. */
export function roundUp(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return power * ([1, 2, 5].find((step) => step * power >= value) ?? 10)
}

function Plot({ label, height = 200, top, ticks, format = formatNumber, children, onPick }: PlotProps) {
  const place = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry!.contentRect.width)))
    observer.observe(place.current!)
    return () => observer.disconnect()
  }, [])
  const across = Math.max(1, width - margin.left - margin.right)
  const down = height - margin.top - margin.bottom
  const frame: Frame = {
    width: across,
    height: down,
    x: (share) => margin.left + share * across,
    y: (share) => margin.top + (1 - share) * down,
  }
  const fewTicks = ticks.filter((_, index) => index % Math.ceil((ticks.length * 64) / across) === 0)
  const pick = ({ offsetX }: MouseEvent) =>
    onPick?.(Math.min(1, Math.max(0, (offsetX - margin.left) / across)))
  return (
    <div ref={place} class="plot">
      {width > 0 && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the player beside it is reached by the keyboard
        <svg
          role="img"
          aria-label={label}
          width={width}
          height={height}
          class={onPick ? 'pickable' : ''}
          onClick={onPick && pick}
        >
          {[0, 0.5, 1].map((share) => (
            <g key={share}>
              <line class="grid" x1={frame.x(0)} x2={frame.x(1)} y1={frame.y(share)} y2={frame.y(share)} />
              <text class="tick" x={margin.left - 6} y={frame.y(share) + 4} text-anchor="end">
                {format(share * top)}
              </text>
            </g>
          ))}
          {fewTicks.map(({ at, text }) => (
            <text key={at} class="tick" x={frame.x(at)} y={height - 6} text-anchor="middle">
              {text}
            </text>
          ))}
          {children(frame)}
        </svg>
      )}
    </div>
  )
}

interface Series {
  name: string
  /** Class of its colour. */
  colour: string
}

const Legend = ({ of }: { of: readonly Series[] }) => (
  <ul class="legend">
    {of.map(({ name, colour }) => (
      <li key={name}>
        <span class={`swatch ${colour}`} aria-hidden="true" />
        {name}
      </li>
    ))}
  </ul>
)

interface ColumnsProps {
  label: string
  series: readonly Series[]
  /** One column each, with a value of each series from the bottom up. */
  columns: readonly { text: string; values: readonly number[] }[]
  format?: (value: number) => string
  /** Shares of the width to mark with a line from top to bottom. */
  thresholds?: readonly number[]
}

/** Stacked columns of counts. */
export function Columns({ label, series, columns, format = formatNumber, thresholds = [] }: ColumnsProps) {
  const sums = columns.map(({ values }) => values.reduce((sum, value) => sum + value, 0))
  // Half of it is a whole number, too.
  const top = 2 * roundUp(Math.ceil(Math.max(1, ...sums) / 2))
  const step = 1 / columns.length
  return (
    <>
      {series.length > 1 && <Legend of={series} />}
      <Plot
        label={label}
        top={top}
        format={format}
        ticks={columns.map(({ text }, place) => ({ at: (place + 0.5) * step, text }))}
      >
        {({ x, y, width, height }) => (
          <>
            {columns.flatMap(({ text, values }, place) => {
              let below = 0
              return values.map((value, index) => {
                const bottom = below
                below += value / top
                const { name, colour } = series[index]!
                return value === 0 ? null : (
                  <rect
                    key={`${place} ${colour}`}
                    class={`fill-${colour}`}
                    x={x(place * step) + 1}
                    y={y(below)}
                    width={Math.max(1, width * step - 2)}
                    height={(below - bottom) * height}
                  >
                    <title>{`${text}: ${name} ${format(value)}`}</title>
                  </rect>
                )
              })
            })}
            {thresholds.map((at) => (
              <line key={at} class="threshold" x1={x(at)} x2={x(at)} y1={y(0)} y2={y(1)} />
            ))}
          </>
        )}
      </Plot>
      <Numbers
        label={label}
        series={series}
        rows={columns.filter((_, place) => sums[place] !== 0)}
        format={format}
      />
    </>
  )
}

interface NumbersProps extends Pick<ColumnsProps, 'label' | 'series'> {
  rows: readonly { text: string; values: readonly (number | null)[] }[]
  format: (value: number) => string
}

function Numbers({ label, series, rows, format }: NumbersProps) {
  const show = (value: number | null | undefined) => (value == null ? '–' : format(value))
  return (
    <details>
      <summary>{t('As a table')}</summary>
      <Table
        label={label}
        isShort
        rows={rows}
        keyOf={({ text }) => text}
        columns={[
          ['', ({ text }) => text],
          ...series.map(
            ({ name }, place) => [name, (row: (typeof rows)[number]) => show(row.values[place])] as const,
          ),
        ]}
      />
    </details>
  )
}

export interface LinePoint {
  /** Share of the width, 0…1. */
  at: number
  value: number
}

interface LinesProps {
  label: string
  height?: number
  lines: readonly (Series & { points: readonly LinePoint[] })[]
  ticks: readonly { at: number; text: string }[]
  /** Lowest and highest value. */
  range: readonly [least: number, most: number]
  format?: (value: number) => string
  /** A value to mark with a line across. */
  threshold?: number | undefined
  /** Share of the width to mark, such as the time of a player. */
  now?: number | undefined
  onPick?: (share: number) => void
}

export function Lines({
  lines,
  range: [least, most],
  threshold,
  now,
  format = formatNumber,
  ...plot
}: LinesProps) {
  const id = useId()
  const share = (value: number) => (value - least) / (most - least)
  return (
    <>
      {lines.length > 1 && <Legend of={lines} />}
      <Plot {...plot} top={1} format={(at) => format(least + at * (most - least))}>
        {({ x, y }) => (
          <>
            {threshold !== undefined && (
              <line class="threshold" x1={x(0)} x2={x(1)} y1={y(share(threshold))} y2={y(share(threshold))} />
            )}
            {lines.map(({ name, colour, points }) => (
              <g key={`${id} ${name}`}>
                <polyline
                  class={`stroke-${colour}`}
                  points={points
                    .map(({ at, value }) => `${x(at).toFixed(1)},${y(share(value)).toFixed(1)}`)
                    .join(' ')}
                />
                {points.length < 40 &&
                  points.map(({ at, value }) => (
                    <circle key={at} class={`fill-${colour}`} cx={x(at)} cy={y(share(value))} r="2.5">
                      <title>{`${name}: ${format(value)}`}</title>
                    </circle>
                  ))}
              </g>
            ))}
            {now !== undefined && <line class="now" x1={x(now)} x2={x(now)} y1={y(0)} y2={y(1)} />}
          </>
        )}
      </Plot>
    </>
  )
}
