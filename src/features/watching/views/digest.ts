import { card, commandButton, type Line, lines, type Message } from '@signalman/slack'
import { cmd } from '../../../domain/command-names.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { formatCount } from '../../../domain/wording.ts'
import type { DigestModel } from '../rules/sum-history.ts'
import { countOutages, listWorstChecks, sumFacts } from './history.ts'
import { listOutages } from './outages.ts'

/** The daily summary of a channel: the day's outages, the checks that were down longest, and what is still down. */
export function digestView(model: DigestModel): Message {
  const { from, to, timeZone, environment, stillDown, unseen } = model
  const stillDownLines =
    stillDown.length > 0
      ? [
          unseen ? 'Down when last seen:' : 'Still down:',
          ...listOutages(
            stillDown,
            stillDown.length,
            `To see them, use ${cmd('/hc list')}${environment === 'ote' ? ' --env ote' : ''}`,
          ),
        ]
      : []
  const rows: Line[] = [...listWorstChecks(model), ...stillDownLines]
  return card({
    headline: [`${formatDigestHeadline(model)}${environmentSuffix(environment)}`, ' · ', from, ' to ', to],
    facts: sumFacts(model),
    body: rows.length > 0 ? [lines(...rows)] : [],
    smallPrint: [`Sent daily at the same hour, in the time zone ${timeZone}. Only observed time counts.`],
    controls: [commandButton('History', '/hc history --days 7')],
    moreControls: [commandButton('Watches', '/hc watches')],
  })
}

/** `3 outages of 2 health checks, 1 still down`. */
function formatDigestHeadline(model: DigestModel): string {
  const { stillDown, unseen } = model
  const stillDownCount = stillDown.length === 0 ? 'none' : formatCount(stillDown.length)
  return `${countOutages(model)}, ${stillDownCount} ${unseen ? 'down when last seen' : 'still down'}`
}
