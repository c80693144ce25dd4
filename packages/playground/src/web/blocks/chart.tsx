import type { CSSProperties } from 'react'
import type { BlockOf, Chart, Series } from '../block-kit.ts'
import { Each } from '../each.ts'
import { valueRange } from './chart-geometry.ts'
import { TableView } from './table-view.tsx'

/** Sets the color of the nth series. */
const toneStyle = (nth: number): CSSProperties =>
  // React's types don't allow custom CSS properties.
  ({ '--tone': `var(--tone-${nth % 6})` }) as CSSProperties

const WIDTH = 520
const HEIGHT = 200

function Legend({ names }: { names: readonly string[] }) {
  return (
    <ul className="legend">
      <Each of={names}>
        {(name, index) => (
          <li>
            <span className="key tone" style={toneStyle(index)} />
            {name}
          </li>
        )}
      </Each>
    </ul>
  )
}

function Bars({ series, y }: { series: readonly Series[]; y: (value: number) => number }) {
  const categories = series[0]?.data.length ?? 1
  const categoryWidth = WIDTH / categories
  const width = (categoryWidth * 0.7) / series.length
  return (
    <Each of={series}>
      {({ data }, seriesIndex) => (
        <Each of={data}>
          {({ value }, index) => (
            <rect
              className="tone"
              style={toneStyle(seriesIndex)}
              x={index * categoryWidth + categoryWidth * 0.15 + seriesIndex * width}
              y={Math.min(y(value), y(0))}
              width={Math.max(1, width - 1)}
              height={Math.abs(y(value) - y(0))}
            />
          )}
        </Each>
      )}
    </Each>
  )
}

function Plot({ chart }: { chart: Chart }) {
  const { series, axis_config: axes } = chart
  const { low, high } = valueRange(series)
  const y = (value: number) => HEIGHT - ((value - low) / (high - low)) * HEIGHT
  const labels = series[0]?.data.map(({ label }) => label) ?? []
  return (
    <>
      {axes.y_label !== undefined && <p className="soft">{axes.y_label}</p>}
      <div className="plot">
        <div className="plot-range soft" aria-hidden="true">
          <span>{high.toLocaleString('en')}</span>
          <span>{low.toLocaleString('en')}</span>
        </div>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <line x1="0" x2={WIDTH} y1={y(0)} y2={y(0)} className="axis" />
          <Bars series={series} y={y} />
        </svg>
        <div className="plot-labels soft" aria-hidden="true">
          <Each of={labels}>{(label) => <span>{label}</span>}</Each>
        </div>
      </div>
      {axes.x_label !== undefined && <p className="soft axis-title-x">{axes.x_label}</p>}
      <Legend names={series.map(({ name }) => name)} />
    </>
  )
}

function ChartTable({ chart, title }: { chart: BlockOf<'data_visualization'>['chart']; title: string }) {
  const { series, axis_config: axes } = chart
  const rows = (series[0]?.data ?? []).map(({ label }, row) => [
    label,
    ...series.map(({ data }) => (data[row]?.value ?? 0).toLocaleString('en')),
  ])
  return (
    <details>
      <summary>Show as table</summary>
      <TableView
        label={title}
        head={[axes.x_label ?? '', ...series.map(({ name }) => name)]}
        rows={rows}
        cellClass={(column) => (column === 0 ? 'align-left' : 'align-right')}
        renderCell={(cell) => cell}
      />
    </details>
  )
}

/** A `data_visualization` block: a bar chart, with its numbers in a table below. */
export function ChartBlock({ block: { title, chart } }: { block: BlockOf<'data_visualization'> }) {
  return (
    <figure className="chart" aria-label={title}>
      <figcaption>{title}</figcaption>
      <Plot chart={chart} />
      <ChartTable chart={chart} title={title} />
    </figure>
  )
}
