import { commandButton } from '../../../blocks/command-buttons.ts'
import { utc } from '../../../blocks/dates.ts'
import { actions, context, header, section } from '../../../blocks/layout.ts'
import { type Message, message } from '../../../blocks/message.ts'
import { paragraph, person, richText, words } from '../../../blocks/rich-text.ts'
import { clip, literal, oneLine } from '../../../blocks/text.ts'
import { badgeOf } from '../../../domain/environment.ts'
import { grouped } from '../../../domain/wording.ts'
import type { OpenJob } from '../changes/open-jobs.ts'

const SHOWN = 10

/** What changes many health checks just now, each with the button that stops it. */
export function jobsView(jobs: readonly OpenJob[], now: Date): Message {
  const shown = jobs.slice(0, SHOWN)
  const more = jobs.length - shown.length
  const rest = more > 0 ? `And ${more} more that wait.` : ''
  const asOf = `As of ${utc(now)}`
  if (jobs.length === 0) {
    const says = 'No import and no other change of many health checks runs.'
    return message(says, section(says), actions(refresh()), context(asOf))
  }
  return message(
    [...shown.map((job) => `${literal(wordsOf(job))} Asked for by <@${job.userId}>.`), rest]
      .filter(Boolean)
      .join('\n'),
    header('What runs'),
    shown.flatMap((job) => [
      richText(paragraph(words(`${wordsOf(job)} Asked for by `), person(job.userId), words('.'))),
      ...actions(
        commandButton('Stop', lineOf(job), { style: 'danger', spoken: `Stop ${clip(job.about.title, 60)}` }),
      ),
    ]),
    rest ? [context(rest)] : [],
    actions(refresh()),
    context(asOf),
  )
}

const refresh = () => commandButton('Refresh', '/hc jobs', { inPlace: true })

const lineOf = ({ id, about }: OpenJob): string =>
  `/hc ${about.fileName === undefined ? 'job' : 'import'}-cancel ${id}`

function wordsOf({ about, counts, environment, isRunning }: OpenJob): string {
  const over = counts.done + counts.found + counts.refused
  const all = over + counts.ready + counts.begun
  const title = `${about.fileName === undefined ? '' : 'Import of '}${clip(oneLine(about.title), 150)}`
  return `${title}${badgeOf(environment)}: ${isRunning ? '' : 'waits, '}${grouped(over)} of ${grouped(all)} done.`
}
