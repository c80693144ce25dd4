import { durationWords } from '@signalman/runtime'
import {
  actions,
  clip,
  commandButton,
  context,
  literal,
  type Message,
  message,
  oneLine,
  section,
} from '@signalman/slack'
import { badgeOf } from '../../../domain/environment.ts'
import { counted } from '../../../domain/wording.ts'
import { filterWords } from '../filter-fields.ts'
import { type WatchPreview, WEEK_MS } from '../preview-watch.ts'
import type { WatchTerms } from '../rules/watch.ts'
import { termWords, type WatchValues, watchLine } from '../watch-fields.ts'

export interface PreviewedWatch {
  terms: WatchTerms
  /** As they are saved, and shown in the window again, with their place. */
  values: WatchValues
  preview: WatchPreview
}

/** What a watch would have told last week, before it is saved. */
export function previewView({ terms, values, preview }: PreviewedWatch): Message {
  const about = `Watch: ${[`${filterWords(terms.filter)}${badgeOf(values.env ?? 'production')}`, ...termWords(terms)].join(' · ')}`
  const named = preview.most.map(({ name, outages }) => `${clip(oneLine(name), 80)} (${outages})`)
  const lines = [previewWords(preview), ...(named.length > 0 ? [`Most of them: ${named.join(', ')}`] : [])]
  const note = 'Nothing is saved yet.'
  return message(
    literal([about, ...lines, note].join('\n')),
    section(about),
    section(lines.join('\n')),
    context(note),
    actions(
      commandButton('Save', watchLine(values), { style: 'primary', inPlace: true }),
      commandButton('Send a test', `/hc watch-test --channel ${values.channel} --env ${values.env}`),
      commandButton('Change', watchLine(values, 'watch-edit'), { inPlace: true }),
    ),
  )
}

/** `12 messages last week, about 30 outages of 4 health checks.` */
function previewWords(preview: WatchPreview): string {
  const { observedMs, unseen, messages, outages, checks, tooShort, isCut } = preview
  if (observedMs === 0)
    return 'What it would have told last week is not known: nothing was watched here, so nothing was observed.'
  const notSeen =
    unseen.length > 0 ? ` Nobody looked for ${unseen.join(' and ')}, so none of that is counted.` : ''
  // A few missed polls are not worth a word.
  const seen = observedMs < WHOLE_WEEK_MS ? ` Of that week ${durationWords(observedMs)} were observed.` : ''
  const short =
    tooShort > 0
      ? ` ${counted(tooShort, 'outage')} of its health checks would have been over too soon for it.`
      : ''
  const more = isCut ? ' There were more outages than are counted here.' : ''
  const notes = `${short}${notSeen}${more}${seen}`
  if (outages === 0 && messages === 0) return `0 messages last week: nothing of it went down.${notes}`
  return `${counted(messages, 'message')} last week, about ${counted(outages, 'outage')} of ${counted(checks, 'health check')}; the rest are edits of these.${notes}`
}

const WHOLE_WEEK_MS = WEEK_MS * 0.99
