import type { KnownBlock } from '@slack/types'
import { LIMITS } from './limits.ts'
import { clip, visible } from './text.ts'

/** One series of a chart. `values` has one number per category. */
interface ChartSeries {
  name: string
  values: readonly number[]
}

interface ChartParts {
  title: string
  /** Labels on the horizontal axis: only the first 20 are used, each cut to 20 characters. Duplicates get a number. */
  categories: readonly string[]
  series: readonly ChartSeries[]
  xLabel?: string
  yLabel?: string
}

/**
 * A bar chart in which each series has a number per category. Only messages accept it, at most two per message, and not in
 * every workspace. The caller must also put the numbers in the message's text. Source: https://docs.slack.dev/reference/block-kit/blocks
 * (`data_visualization`, November 2026).
 */
export function barChart(parts: ChartParts): KnownBlock {
  const categories = numberDuplicates(parts.categories.slice(0, LIMITS.chartCategories))
  const names = numberDuplicates(parts.series.slice(0, LIMITS.chartSeries).map(({ name }) => name))
  const block = {
    type: 'data_visualization',
    title: formatLabel(parts.title, LIMITS.chartTitle),
    chart: {
      type: 'bar',
      series: names.map((name, index) => ({
        name,
        data: categories.map((label, position) => ({
          label,
          value: toFinite(parts.series[index]?.values[position]),
        })),
      })),
      axis_config: {
        categories,
        ...(parts.xLabel && { x_label: formatLabel(parts.xLabel, LIMITS.axisLabel) }),
        ...(parts.yLabel && { y_label: formatLabel(parts.yLabel, LIMITS.axisLabel) }),
      },
    },
  }
  // The block is newer than the types of Slack's library.
  return block as unknown as KnownBlock
}

const formatLabel = (text: string, max: number): string => clip(visible(text), max).trim() || '–'

const toFinite = (value: number | undefined): number =>
  value !== undefined && Number.isFinite(value) ? value : 0

/** Cuts labels to Slack's limit, and numbers duplicates, because Slack rejects equal labels. */
function numberDuplicates(labels: readonly string[]): string[] {
  const usedNames = new Set<string>()
  return labels.map((label, index) => {
    const short = formatLabel(label, LIMITS.chartLabel)
    let name = short
    for (let count = index + 1; usedNames.has(name); count += 1) {
      const number = ` (${count})`
      name = clip(short, LIMITS.chartLabel - number.length) + number
    }
    usedNames.add(name)
    return name
  })
}
