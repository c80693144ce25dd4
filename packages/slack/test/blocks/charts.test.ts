import { describe, expect, it } from 'vitest'
import { barChart } from '../../src/blocks/charts.ts'

/** The block as sent to Slack, newer than the types of Slack's library. */
interface Chart {
  title: string
  chart: {
    series: { name: string; data: { label: string; value: number }[] }[]
    axis_config: { categories: string[] }
  }
}

const buildChart = (parts: Parameters<typeof barChart>[0]): Chart => barChart(parts) as unknown as Chart

describe('a chart', () => {
  it('stays within Slack’s limits: 20 categories, 6 series, short labels, and a number for every point', () => {
    const long = 'x'.repeat(100)
    const block = buildChart({
      title: long,
      categories: Array.from({ length: 30 }, (_, index) => `${index}${long}`),
      series: Array.from({ length: 9 }, () => ({ name: long, values: [Number.NaN] })),
    })
    expect(block.title).toHaveLength(50)
    const { series, axis_config } = block.chart
    expect(series).toHaveLength(6)
    expect(axis_config.categories).toHaveLength(20)
    for (const { name, data } of series) {
      expect(name.length).toBeLessThanOrEqual(20)
      expect(data.map(({ label }) => label)).toEqual(axis_config.categories)
      expect(data.every(({ value }) => value === 0)).toBe(true)
    }
    expect(new Set(series.map(({ name }) => name)).size).toBe(6)
    expect(new Set(axis_config.categories).size).toBe(20)
  })

  it('distinguishes two categories with the same name', () => {
    const { axis_config } = buildChart({ title: 'a', categories: ['02:00', '02:00', ''], series: [] }).chart
    expect(axis_config.categories).toEqual(['02:00', '02:00 (2)', '–'])
  })

  it('gives a duplicate a number that no other name has', () => {
    const { axis_config } = buildChart({ title: 'a', categories: ['A (3)', 'A', 'A', 'A'], series: [] }).chart
    expect(axis_config.categories).toEqual(['A (3)', 'A', 'A (4)', 'A (5)'])
  })
})
