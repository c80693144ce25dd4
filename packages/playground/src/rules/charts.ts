import { asList, asString, isFields } from '../protocol/json.ts'
import { distinctBy } from './cross-field-rules.ts'
import { block, type CrossFieldRule, type Kind, kind, list, object, text, type ValueType } from './rule.ts'

const source = 'reference/block-kit/blocks/data-visualization-block'

const completeSeries: CrossFieldRule = {
  description: 'every series must have one point per category, in the order of the categories',
  check(value, report) {
    if (!isFields(value.axis_config)) return
    const expected = JSON.stringify(value.axis_config.categories)
    for (const [index, series] of asList(value.series).entries()) {
      const labels = isFields(series)
        ? asList(series.data).map((point) => (isFields(point) ? asString(point.label) : null))
        : []
      if (JSON.stringify(labels) !== expected)
        report(`/series/${index}/data`, 'must have one point per category, in the order of the categories')
    }
  },
}

const chart = (
  name: string,
  shape: Record<string, ValueType>,
  options: Parameters<typeof object>[3] = {},
): Kind => object(name, source, shape, { family: 'chart', ...options })
/** Sources disagree about the number of series: one allows 12. */
const axisChart = (type: string): Kind =>
  chart(
    `${type} chart`,
    { 'series!': list(kind('series'), 6), 'axis_config!': kind('axes') },
    {
      type,
      crossFieldRules: [completeSeries, distinctBy('series', 'name')],
    },
  )

export const CHARTS: readonly Kind[] = [
  block('data_visualization', ['message'], {
    'title!': text(50),
    'chart!': kind('bar chart'),
  }),
  axisChart('bar'),
  chart('series', { 'name!': text(20), 'data!': list(kind('point'), 20) }),
  chart('point', { 'label!': text(20), 'value!': { type: 'number' } }),
  chart('axes', { 'categories!': list(text(20), 20), x_label: text(50), y_label: text(50) }),
]
