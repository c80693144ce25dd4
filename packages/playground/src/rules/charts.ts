import { isFields, listOf, stringOf } from '../json.ts'
import { block, type Kind, kind, list, part, type Together, type Type, text } from './rule.ts'
import { distinctBy } from './together.ts'

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

const chart = (name: string, shape: Record<string, Type>, more: Parameters<typeof part>[3] = {}): Kind =>
  part(name, source, shape, { family: 'chart', ...more })
const plotted = (type: string): Kind =>
  chart(
    `${type} chart`,
    { 'series!': list(kind('series'), 6), 'axis_config!': kind('axes') },
    { type, together: [complete, distinctBy('series', 'name')], unsettled: 'One source allows 12 series.' },
  )

export const CHARTS: readonly Kind[] = [
  block('data_visualization', ['message'], {
    'title!': text(50),
    'chart!': kind('pie chart', 'bar chart', 'line chart', 'area chart'),
  }),
  chart('pie chart', { 'segments!': list(kind('segment'), 6) }, { type: 'pie' }),
  plotted('bar'),
  plotted('line'),
  plotted('area'),
  chart('segment', { 'label!': text(20), 'value!': { is: 'number', above: 0 } }),
  chart('series', { 'name!': text(20), 'data!': list(kind('point'), 20) }),
  chart('point', { 'label!': text(20), 'value!': { is: 'number' } }),
  chart(
    'axes',
    { 'categories!': list(text(20), 20), x_label: text(50), y_label: text(50) },
    { unsettled: "Whether Slack refuses a duplicate category isn't known." },
  ),
]
