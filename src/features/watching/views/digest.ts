import { chart } from '../../../blocks/charts.ts'
import { commandButton } from '../../../blocks/command-buttons.ts'
import { factLines, facts } from '../../../blocks/facts.ts'
import { actions, context, header, section } from '../../../blocks/layout.ts'
import { LIMITS } from '../../../blocks/limits.ts'
import { type Message, newOrClassic } from '../../../blocks/message.ts'
import { clip, literal } from '../../../blocks/text.ts'
import { badgeOf } from '../../../domain/environment.ts'
import type { DigestModel } from '../../../domain/watching/card-model.ts'
import { grouped } from '../../../domain/wording.ts'
import { dayOf, factsOf, hoursOf, stillDownLines, uptimeLines } from './digest-facts.ts'

/** A channel's day: outages, the longest, uptime over the time that was observed; a chart where the workspace takes one. */
export function digestView(model: DigestModel): Message {
  const { from, to, timeZone, environment } = model
  const title = `Health checks${badgeOf(environment)}: ${dayOf(from, timeZone)} to ${dayOf(to, timeZone)}`
  const entries = factsOf(model)
  const hours = hoursOf(model)
  const hourLine = hours
    .filter(({ outages }) => outages > 0)
    .map(({ from, to, outages }) => `${grouped(outages)} from ${from} to ${to}`)
    .join(', ')
  const perHour = hourLine ? [`Outages by the hour in which they began: ${hourLine}`] : []
  const lines = [...uptimeLines(model), ...stillDownLines(model)]
  const note = `Times of ${timeZone}. Only what was observed counts.`
  const text = (all: readonly string[]) =>
    all.length > 0 ? [section(clip(all.join('\n'), LIMITS.sectionText))] : []
  const head = [header(title), facts(entries)]
  const foot = [
    ...text(lines),
    context(note),
    ...actions(commandButton('History', '/hc history --days 7'), commandButton('Watches', '/hc watches')),
  ]
  const drawn = chart('bar', {
    title: 'Outages',
    xLabel: 'Hour in which they began',
    yLabel: 'Outages',
    categories: hours.map(({ from, to }) => `${from}–${to}`),
    series: [{ name: 'Outages', values: hours.map(({ outages }) => outages) }],
  })
  return newOrClassic(
    literal([title, factLines(entries), ...perHour, ...lines, note].join('\n')),
    [head, hours.length > 0 && perHour.length > 0 ? [drawn] : [], foot],
    () => [head, text(perHour), foot],
  )
}
