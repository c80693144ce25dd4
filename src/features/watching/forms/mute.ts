import { FieldErrors, UserError } from '@signalman/runtime'
import { context, section, selectInput, textInput } from '@signalman/slack'
import type { Form, Modal } from '../../../bot/routes/routes.ts'
import type { Environment } from '../../../domain/environment.ts'
import type { WatchParts } from '../keep-watch.ts'
import { keptMute, muteHere } from '../mute-checks.ts'
import { OFFERED_LENGTHS, parseMute, type TypedSubject } from '../parse/mute-line.ts'
import { prefixOf } from '../rules/grouping.ts'
import type { MuteSubject } from '../rules/watch.ts'
import { subjectName } from '../views/words.ts'

const FORM = 'watching.mute'

/** The kinds of mute on offer: what the window was opened for, all checks with the same prefix, or everything. */
type Extent = 'this' | 'alike' | 'all'

interface TypedMute {
  extent: Extent
  ends: string
  isTyped: boolean
}

/** Asks what is to be muted, and for how long. */
export function muteModal(subject: MuteSubject, environment: Environment): Modal {
  const choices = extents(subject)
  return {
    title: 'Mute',
    form: { id: FORM, submit: 'Mute' },
    about: subject,
    blocks: [
      environment === 'ote' ? [context('OTE test environment')] : [],
      section(
        'Nothing new is told in this channel about what is muted. Everyone sees the mute in /hc watches, and when it ends, you are told what is still down.',
      ),
      selectInput(
        'subject',
        'What',
        choices.map((choice, index) => ({ ...choice, chosen: index === 0 })),
      ),
      selectInput(
        'length',
        'For how long',
        OFFERED_LENGTHS.map(([value, label]) => ({ label, value, chosen: value === '1h' })),
      ),
      textInput('until', 'Or until', {
        optional: true,
        max: 40,
        placeholder: '2026-12-01 09:00',
        hint: 'A date, a time, tomorrow or a weekday, in your own time zone. An admin may type “forever”.',
      }),
    ],
  }
}

/** What can be muted from here, the narrowest first. */
function extents(subject: MuteSubject): { label: string; value: Extent }[] {
  const all = { label: 'Everything in this channel', value: 'all' } as const
  if (subject.kind === 'all') return [all]
  if (subject.kind === 'name') return [{ label: subjectName(subject), value: 'this' }, all]
  const prefix = prefixOf(subject.name)
  return [
    { label: `Only ${subjectName(subject)}`, value: 'this' },
    ...(prefix ? [{ label: `All named ${prefix}`, value: 'alike' } as const] : []),
    all,
  ]
}

function subjectFor(extent: Extent, subject: MuteSubject): TypedSubject {
  if (extent === 'all' || subject.kind === 'all') return { kind: 'all' }
  if (subject.kind === 'name') return subject
  return extent === 'alike'
    ? { kind: 'name', pattern: prefixOf(subject.name) }
    : { kind: 'check', words: [subject.uuid] }
}

/** The form of `muteModal`. Throws FieldErrors for an end that is not a time. */
export function muteForm(parts: WatchParts): Form<TypedMute, MuteSubject> {
  return {
    id: FORM,
    verb: '/hc mute',
    needs: 'operator',
    working: 'Muting…',
    read(answers) {
      const chosen = answers.choice('subject')
      const extent = chosen === 'this' || chosen === 'alike' ? chosen : 'all'
      const until = answers.text('until')
      return { extent, ends: until ?? answers.choice('length') ?? '1h', isTyped: until !== undefined }
    },
    async submit(context, { extent, ends, isTyped }, about) {
      const subject = subjectFor(extent, about)
      const { timeZone = 'UTC' } = await context.actor()
      const kept = await context.keep('typed', async () => {
        try {
          return keptMute({ ...parseMute(['all', ...ends.split(/\s+/)], context.now, timeZone), subject })
        } catch (error) {
          if (error instanceof UserError && isTyped) throw new FieldErrors({ until: error.message })
          throw error
        }
      })
      return muteHere(parts, context, kept)
    },
  }
}
