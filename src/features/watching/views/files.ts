import {
  actions,
  commandButton,
  context,
  literal,
  type Message,
  message,
  say,
  section,
} from '@signalman/slack'
import { badgeOf } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { counted, grouped } from '../../../domain/wording.ts'
import type { WatchPlan } from '../files/apply-watches.ts'
import { filterWords, watchCount } from './words.ts'

const SHOWN = 10

export function fileSentView(count: number, name: string): Message {
  const sentence = `${watchCount(count)} of this workspace as a file, in your direct messages with Signalman: ${name}`
  return message(literal(sentence), section(sentence))
}

/** What a file would change, and the button that has it change that. */
export function planView({ added, digests, ended, same }: WatchPlan, stateId: string): Message {
  const changes = added.length + digests.length + ended.length
  const sentence =
    changes === 0
      ? `Nothing would change: all of the ${watchCount(same)} are there already.`
      : `This file would add ${watchCount(added.length)} and ${counted(digests.length, 'daily summary').replace('summarys', 'summaries')}, and end ${watchCount(ended.length)}. ${grouped(same)} are there already.`
  const lines = [
    ...added
      .slice(0, SHOWN)
      .map(({ terms, environment }) => `+ ${filterWords(terms.filter)}${badgeOf(environment)}`),
    ...ended
      .slice(0, SHOWN)
      .map(({ filter, environment }) => `− ${filterWords(filter)}${badgeOf(environment)}`),
  ]
  const left = added.length + ended.length - lines.length
  const more = left > 0 ? [`and ${grouped(left)} more`] : []
  return message(
    literal([sentence, ...lines, ...more].join('\n')),
    section(sentence),
    lines.length > 0 ? [section([...lines, ...more].join('\n'))] : [],
    changes > 0
      ? [
          context('Nothing is changed yet.'),
          ...actions(
            commandButton('Apply', `/hc watch-apply ${quoted(stateId)}`, { style: 'primary', inPlace: true }),
          ),
        ]
      : [],
  )
}

export function appliedView(done: {
  added: number
  digests: number
  ended: number
  /** Channels that were left out. */
  closed: readonly string[]
}): Message {
  const { added, digests, ended, closed } = done
  const sentence = `Added ${watchCount(added)} and ${counted(digests, 'daily summary').replace('summarys', 'summaries')}, ended ${watchCount(ended)}.`
  const left =
    closed.length > 0
      ? ` Left out, because Signalman cannot write there: ${closed.map((id) => `<#${id}>`).join(', ')}.`
      : ''
  // Ids of channels that were checked by their form.
  return message(
    sentence + left,
    say(sentence + left),
    actions(commandButton('All watches', '/hc watches --all')),
  )
}
