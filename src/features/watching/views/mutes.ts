import { commandButton } from '../../../blocks/command-buttons.ts'
import { utc } from '../../../blocks/dates.ts'
import { actions } from '../../../blocks/layout.ts'
import { type Message, message } from '../../../blocks/message.ts'
import { date, paragraph, richText, words } from '../../../blocks/rich-text.ts'
import { literal } from '../../../blocks/text.ts'
import { badgeOf } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import type { Mute, MuteSubject } from '../../../domain/watching/watch.ts'
import { muteFormLine } from './card-buttons.ts'
import { subjectName } from './watch-words.ts'

const END = 'Its end says what is still down. Cards that are here already are still kept up to date.'

export function mutedView(mute: Omit<Mute, 'workspaceId'>): Message {
  const lead = `Muted in this channel: ${subjectName(mute.about)}${badgeOf(mute.environment)}, until `
  const end = mute.until ? [date(mute.until)] : [words('somebody ends it')]
  return message(
    literal(`${lead}${mute.until ? utc(mute.until) : 'somebody ends it'}. ${END}`),
    richText(paragraph(words(lead), ...end, words(`. ${END}`))),
    actions(
      commandButton('Unmute', `/hc unmute ${quoted(mute.id)}`),
      commandButton('All mutes', '/hc watches'),
    ),
  )
}

/** What people hear of the end of mutes, as an act stores it. */
export interface LeftMuted {
  isTold: boolean
  /** Other mutes that go on; `until` in ISO 8601, absent: until somebody ends it. */
  holding: readonly { about: MuteSubject; until?: string | undefined }[]
}

export function unmutedView(ended: readonly Pick<Mute, 'about'>[], { isTold, holding }: LeftMuted): Message {
  const what = ended.map(({ about }) => subjectName(about)).join(', ')
  const sentence = [
    `${holding.length > 0 ? 'This mute ended' : 'Not muted any more'} in this channel: ${what}.`,
    ...holding.map(
      ({ about, until }) =>
        `Another still holds: ${subjectName(about)}, until ${until ? utc(new Date(until)) : 'somebody ends it'}.`,
    ),
    ...(isTold ? ['What is still down of it is told now.'] : []),
  ].join(' ')
  const [only] = ended
  return message(
    literal(sentence),
    richText(paragraph(words(sentence))),
    actions(
      ...(only && ended.length === 1 ? [commandButton('Mute again', muteFormLine(only.about))] : []),
      commandButton('Watches', '/hc watches'),
    ),
  )
}
