import type { ActionsBlock, Button } from '@slack/types'
import { commandButton } from '../../../blocks/command-buttons.ts'
import { actions } from '../../../blocks/layout.ts'
import type { Environment } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import type { MuteSubject } from '../../../domain/watching/watch.ts'

interface CardState {
  cardId: string
  environment: Environment
  /** Who is on it is shown already. */
  isTaken: boolean
  isOver: boolean
  isMuted: boolean
}

/** The buttons of a card. Everybody sees them, and each press checks the person's rights. */
export function cardButtons(
  { cardId, isTaken, isOver, isMuted }: CardState,
  subject: MuteSubject,
  show: Button,
): ActionsBlock[] {
  return actions(
    ...(isOver || isTaken
      ? []
      : [commandButton('I’m on it', `/hc watch-ack ${quoted(cardId)}`, { style: 'primary' })]),
    ...(isOver ? [] : [isMuted ? unmuteButton(subject) : commandButton('Mute', muteFormLine(subject))]),
    show,
  )
}

/** Opens the window that asks how long to mute. */
export const muteFormLine = (subject: MuteSubject): string => `/hc mute-for ${subjectWords(subject)}`

const unmuteButton = (subject: MuteSubject): Button =>
  commandButton('Unmute', `/hc unmute ${subjectWords(subject)}`)

/** The subject of a mute, as it is typed. */
function subjectWords(subject: MuteSubject): string {
  if (subject.kind === 'all') return 'all'
  return subject.kind === 'check' ? subject.uuid : quoted(subject.pattern)
}
