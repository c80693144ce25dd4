import { durationWords } from '@signalman/runtime'
import { card, clip, commandButton, type Message, oneLine } from '@signalman/slack'
import { badgeOf } from '../../../domain/environment.ts'
import type { WatchedStatus } from '../../../domain/outages/outage.ts'
import { counted } from '../../../domain/wording.ts'
import { filterWords } from '../filter-fields.ts'
import { type WatchPreview, WEEK_MS } from '../preview-watch.ts'
import { watchedStatus } from '../rules/subjects.ts'
import type { WatchTerms } from '../rules/watch.ts'
import { termWords, type WatchValues, watchLine } from '../watch-fields.ts'
import { FELL_WORDS, STILL_WORDS, TIME_WORDS } from './words.ts'

interface PreviewedWatch {
  terms: WatchTerms
  /** As they are saved, and shown in the window again, with their place. */
  values: WatchValues
  preview: WatchPreview
}

/** What a watch would have told last week, before it is saved. */
export function previewView({ terms, values, preview }: PreviewedWatch): Message {
  const about = `Watch: ${[`${filterWords(terms.filter)}${badgeOf(values.env ?? 'production')}`, ...termWords(terms)].join(' · ')}`
  const named = preview.most.map(({ name, outages }) => `${clip(oneLine(name), 80)} (${outages})`)
  const [answer = '', ...notes] = previewWords(preview, watchedStatus(terms.filter))
  return card({
    answer: `${answer} Nothing is saved yet.`,
    notes: [about, ...notes, ...(named.length > 0 ? [`Most of them: ${named.join(', ')}`] : [])],
    controls: [
      commandButton('Save', watchLine(values), { style: 'primary', inPlace: true }),
      commandButton('Change', watchLine(values, 'watch-edit'), { inPlace: true }),
      commandButton('Send a test', `/hc watch-test --channel ${values.channel} --env ${values.env}`),
    ],
  })
}

/** `12 messages last week, about 30 outages of 4 health checks.`, and what that leaves out. */
function previewWords(preview: WatchPreview, status: WatchedStatus | 'both'): string[] {
  const { observedMs, unseen, messages, outages, checks, tooShort, isCut } = preview
  if (observedMs === 0)
    return [
      'What it would have told last week is not known: nothing was watched here, so nothing was observed.',
    ]
  const notes = [
    tooShort > 0 &&
      `${counted(tooShort, ...TIME_WORDS[status])} of its health checks would have been over too soon for it.`,
    unseen.length > 0 &&
      `Nobody looked for what is ${unseen.map((one) => STILL_WORDS[one]).join(' or ')}, so none of that is counted.`,
    isCut && `There were more ${TIME_WORDS[status][1]} than are counted here.`,
    // A few missed polls are not worth a word.
    observedMs < WHOLE_WEEK_MS && `Observed: ${durationWords(observedMs)} of that week.`,
  ].filter((note) => note !== false)
  const why = tooShort > 0 ? '.' : `: nothing of it ${FELL_WORDS[status]}.`
  if (outages === 0 && messages === 0) return [`0 messages last week${why}`, ...notes]
  const about = `${counted(outages, ...TIME_WORDS[status])} of ${counted(checks, 'health check')}`
  return [`${counted(messages, 'message')} last week, about ${about}; the rest are edits of these.`, ...notes]
}

const WHOLE_WEEK_MS = WEEK_MS * 0.99
