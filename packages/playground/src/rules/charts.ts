import { fieldsOf, isFields, listOf, stringOf } from '../json.ts'
import { anything, fields, type Kind, kind, list, type Together, text } from './rule.ts'

const source = 'block-kit/blocks/data-visualization-block'

const complete: Together = {
  says: 'every series has one point per category, in the order of the categories',
  check(value, fault) {
    if (!isFields(value.axis_config)) return
    const wanted = JSON.stringify(value.axis_config.categories)
    for (const [index, each] of listOf(value.series).entries()) {
      const labels = isFields(each)
        ? listOf(each.data).map((one) => (isFields(one) ? stringOf(one.label) : null))
        : []
      if (JSON.stringify(labels) !== wanted)
        fault(`/series/${index}/data`, 'must have one point per category, in the order of the categories')
    }
  },
}

const distinctSeries: Together = {
  says: 'no two series have the same name',
  check(value, fault) {
    const seen = new Set<string>()
    for (const [index, each] of fieldsOf(value.series).entries()) {
      const name = stringOf(each.name)
      if (name === undefined) continue
      if (seen.has(name)) fault(`/series/${index}/name`, `\`name\` "${name}" already exists among the series`)
      seen.add(name)
    }
  },
}

const SERIES = { name: 'Up', data: [{ label: 'Mon', value: 3 }] }
const AXES = { categories: ['Mon'], x_label: 'Day', y_label: 'Checks' }

const plotted = (type: string): Kind => ({
  name: `${type} chart`,
  family: 'chart',
  type,
  fields: fields({ 'type!': anything, 'series!': list(kind('series'), 6), 'axis_config!': kind('axes') }),
  together: [complete, distinctSeries],
  source,
  unsettled: 'One source takes 12 series.',
  example: { type, series: [SERIES], axis_config: AXES },
})

export const CHARTS: readonly Kind[] = [
  {
    name: 'data visualization',
    family: 'block',
    type: 'data_visualization',
    surfaces: ['message'],
    fields: fields({
      'type!': anything,
      block_id: text(255),
      'title!': text(50),
      'chart!': kind('pie chart', 'bar chart', 'line chart', 'area chart'),
    }),
    source,
    example: {
      type: 'data_visualization',
      block_id: 'b',
      title: 'Up and down',
      chart: { type: 'pie', segments: [{ label: 'up', value: 1 }] },
    },
  },
  {
    name: 'pie chart',
    family: 'chart',
    type: 'pie',
    fields: fields({ 'type!': anything, 'segments!': list(kind('segment'), 6) }),
    source,
    example: { type: 'pie', segments: [{ label: 'up', value: 1 }] },
  },
  plotted('bar'),
  plotted('line'),
  plotted('area'),
  {
    name: 'segment',
    family: 'chart',
    fields: fields({ 'label!': text(20), 'value!': { is: 'number', above: 0 } }),
    source,
    example: { label: 'up', value: 1 },
  },
  {
    name: 'series',
    family: 'chart',
    fields: fields({ 'name!': text(20), 'data!': list(kind('point'), 20) }),
    source,
    example: SERIES,
  },
  {
    name: 'point',
    family: 'chart',
    fields: fields({ 'label!': text(20), 'value!': { is: 'number' } }),
    source,
    example: { label: 'Mon', value: -3 },
  },
  {
    name: 'axes',
    family: 'chart',
    fields: fields({ 'categories!': list(text(20), 20), x_label: text(50), y_label: text(50) }),
    source,
    unsettled: 'Whether Slack refuses a category that stands twice is not known.',
    example: AXES,
  },
]
