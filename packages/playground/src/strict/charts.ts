import { isFields, listOf, stringOf } from '../json.ts'
import { all, anything, byType, fault, finite, list, object, type Rule, text } from './rules.ts'

/** Charts: https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block (November 2026). */
const positive: Rule = (value, at, check) => {
  finite(value, at, check)
  if (typeof value === 'number' && value <= 0) fault(check, at, 'must be greater than 0')
}

const segment = object({ 'label!': text(20), 'value!': positive })
const point = object({ 'label!': text(20), 'value!': finite })
const series = object({ 'name!': text(20), 'data!': list(point, 20) })
const axes = object({ 'categories!': list(text(20), 20), x_label: text(50), y_label: text(50) })

/** Every series has one point per category, in the same order. */
const complete: Rule = (value, at, check) => {
  if (!isFields(value) || !isFields(value.axis_config)) return
  const wanted = JSON.stringify(value.axis_config.categories)
  for (const [index, each] of listOf(value.series).entries()) {
    const labels = isFields(each)
      ? listOf(each.data).map((one) => (isFields(one) ? stringOf(one.label) : null))
      : []
    if (JSON.stringify(labels) !== wanted)
      fault(
        check,
        `${at}/series/${index}/data`,
        'must have one point per category, in the order of the categories',
      )
  }
}

const plotted = all(object({ 'type!': anything, 'series!': list(series, 6), 'axis_config!': axes }), complete)

export const chart = byType({
  pie: object({ 'type!': anything, 'segments!': list(segment, 6) }),
  bar: plotted,
  line: plotted,
  area: plotted,
})
