import { durationWords, type SuggestedCommand } from '@signalman/runtime'
import { safeLine } from '../../defang.ts'
import type { ThreatCase } from '../../rows/case-rows.ts'
import type { Placing } from '../place.ts'
import { type PersonalStep, takeOverLine } from './steps.ts'
import { caseStateWords, nameOf } from './words.ts'

const DONE: Readonly<Record<PersonalStep, string>> = {
  take: 'You have this case now.',
  'takedown-sent': 'Noted: the takedown was sent.',
  down: 'Noted: it is down. The case is closed.',
  'false-positive': 'Noted: a false positive. The case is closed.',
  release: 'You gave this case back: nobody has it.',
  reopen: 'The case is open again, and yours.',
}

export const steppedWords = (kind: PersonalStep, from: string | undefined): string =>
  kind === 'take' && from !== undefined
    ? `You have this case now, taken over from ${safeLine(from, 60)}.`
    : DONE[kind]

const NOWHERE: Readonly<Record<Extract<Placing, { why: string }>['why'], string>> = {
  alone:
    'No channel is told of it here: share the card in one, and its thread tells of each step from then on.',
  'not-in-channel':
    'No channel is told of it: Signalman is not in this one. Invite it with /invite, then share the card.',
  'shared-outside':
    'No channel is told of it: this one is shared with another organization, and an admin has not allowed threat events in it.',
  unasked:
    'No channel is told of it: Slack could not be asked about this one. Share the card, and its thread tells of each step from then on.',
}

/** Says where others will read of the step. */
export function placeWords(found: ThreatCase | undefined, placing: Placing | undefined): string {
  if (!found?.place) return placing && 'why' in placing ? NOWHERE[placing.why] : NOWHERE.alone
  return found.place.messageTs === undefined
    ? 'The card is posted to the channel, and its thread tells of each step.'
    : 'The card in the channel is brought up to date, and its thread is told.'
}

/** Asks whether to take over a case that somebody else has. */
export function heldQuestion(found: ThreatCase, now: Date): { says: string; offer: SuggestedCommand } {
  const { holder, version, eventId, environment } = found
  const name = holder ? nameOf(holder) : 'Somebody'
  const since = found.steps.findLast(({ kind }) => kind === 'take' || kind === 'reopen')?.at
  const ago = since ? ` for ${durationWords(now.getTime() - since.getTime())}` : ''
  return {
    says: `${name} has had this case${ago}. Nothing was changed. Take it over? The thread of its card says so.`,
    offer: { label: 'Take over', line: `${takeOverLine(eventId, version)} --env ${environment}` },
  }
}

const WHAT: Readonly<Record<PersonalStep, string>> = {
  take: 'taken',
  'takedown-sent': 'marked as sent',
  down: 'marked as down',
  'false-positive': 'marked as a false positive',
  release: 'given back',
  reopen: 'opened again',
}

/** Says why the case cannot take this step: its state, who set it, and when. */
export function refusedWords(found: ThreatCase, kind: PersonalStep, userId: string, now: Date): string {
  if (kind === 'take' && found.holder?.userId === userId) return 'You have this case already.'
  if (kind === 'release' && found.holder && found.holder.userId !== userId)
    return `You do not have this case: ${caseStateWords(found)}.`
  const last = found.steps.at(-1)
  const ago = last ? ` (${durationWords(now.getTime() - last.at.getTime())} ago)` : ''
  return `This case cannot be ${WHAT[kind]} from where it is: ${caseStateWords(found)}${ago}.`
}
