import { UserError } from '@signalman/runtime'
import { choice, slot } from '../../../bot/grammar/slots.ts'
import { MINE_WORDS } from '../../../bot/grammar/vocabulary.ts'
import type { HomeSection, VerbDeclaration } from '../../../bot/routes/routes.ts'
import { flagSpecs, readFields } from '../../../bot/typed/fields.ts'
import { readShownCase } from '../cases/announces.ts'
import { listCases, readHomeCases } from '../cases/cases.ts'
import { addNote, revealCase, type StepDeps, takeStep } from '../cases/take-step.ts'
import { isMember } from '../members-only.ts'
import {
  CASE_STATE_WORDS,
  CUSTOMER_FIELDS,
  ONE_EVENT,
  parseId,
  QUEUE_FIELDS,
  TAKE_OVER_FIELDS,
  TAKEDOWN_FIELDS,
} from '../parse.ts'
import type { ThreatCases } from '../rows/cases.ts'
import type { PersonalStep } from '../rules/case-steps.ts'
import { caseWindow } from '../views/case.ts'
import { homeCaseBlocks } from '../views/case-queue.ts'
import { MAX_NOTE_LENGTH, STEPS } from '../views/case-words.ts'
import { stopWatching, type WatchDeps, watchUntilDown } from '../watched/watch.ts'

const VERBS = [
  'take',
  'takedown-sent',
  'down',
  'up',
  'false-positive',
  'release',
  'reopen',
] as const satisfies readonly PersonalStep[]

/** The verbs that take steps in a case and show cases. */
export function caseCommands(deps: StepDeps): VerbDeclaration[] {
  const { threatCases } = deps
  const steps = VERBS.map(
    (kind): VerbDeclaration => ({
      line: `/threat ${kind}`,
      slots: ONE_EVENT,
      description: STEPS[kind].description,
      needs: 'operator',
      isAct: true,
      ...(kind === 'take' && { flags: flagSpecs(TAKE_OVER_FIELDS) }),
      ...(kind === 'takedown-sent' && { flags: flagSpecs(TAKEDOWN_FIELDS) }),
      async run(context, { words, flags }) {
        const eventId = parseId(kind, words)
        return takeStep(deps, context, {
          eventId,
          kind,
          seenVersion: readFields(TAKE_OVER_FIELDS, flags).over,
          ...(kind === 'takedown-sent' && { typedText: formatTakedown(readFields(TAKEDOWN_FIELDS, flags)) }),
        })
      },
    }),
  )
  const note: VerbDeclaration = {
    line: '/threat note',
    slots: [slot('id', 'event', { required: true }), slot('text', 'text', { usage: 'TEXT', isProse: true })],
    description: 'Add a note to a case, such as a ticket number or what the registrar said',
    needs: 'operator',
    isAct: true,
    isPersonal: true,
    async run(context, { values }) {
      const eventId = parseId('note', [values.id ?? ''])
      return addNote(deps, context, { eventId, text: checkLength(values.text ?? '') })
    },
  }
  const reveal: VerbDeclaration = {
    line: '/threat reveal',
    slots: ONE_EVENT,
    description:
      'Show the screenshot and people’s names on a case’s card and in its thread, including to guests in the channel',
    needs: 'operator',
    isAct: true,
    run: (context, { words }) => revealCase(deps, context, parseId('reveal', words)),
  }
  const show: VerbDeclaration = {
    line: '/threat case',
    slots: ONE_EVENT,
    description: 'Show who has a case, what was done and when, and the next steps',
    needs: 'viewer',
    opensModal: 'to-read',
    isPersonal: true,
    async run(context, { words }) {
      return caseWindow(await readShownCase(deps, context, parseId('case', words)))
    },
  }
  const queue: VerbDeclaration = {
    line: '/threat queue',
    slots: [
      choice('mine', MINE_WORDS, { flag: 'mine' }),
      choice('state', CASE_STATE_WORDS, {
        flag: 'state',
        usage: 'STATE',
      }),
    ],
    description: 'List open cases, most severe and oldest first',
    needs: 'viewer',
    isPersonal: true,
    redraws: true,
    example: 'queue --mine',
    flags: flagSpecs(QUEUE_FIELDS),
    async run(context, { flags }) {
      const { environment } = context
      return listCases(threatCases, context, { environment, ...readFields(QUEUE_FIELDS, flags) })
    },
  }
  return [...steps, note, reveal, show, queue]
}

function formatTakedown({ to, ticket }: { to?: string | undefined; ticket?: string | undefined }) {
  const text = [to && `to ${to}`, ticket && `ticket ${ticket}`].filter(Boolean).join(', ')
  return text ? checkLength(text) : undefined
}

/** Throws UserError if the text is missing, or would be shortened on the case. */
function checkLength(text: string): string {
  const plain = text.trim()
  if (plain === '') throw new UserError('What’s the note? Type it after the ID.')
  if (plain.length > MAX_NOTE_LENGTH)
    throw new UserError(
      `A note can have up to ${MAX_NOTE_LENGTH} characters. This one has ${plain.length}, so it wasn’t saved.`,
    )
  return plain
}

export const homeCasesSection =
  (threatCases: Pick<ThreatCases, 'list' | 'count'>): HomeSection['section'] =>
  async (context) =>
    (await isMember(context)) ? homeCaseBlocks(await readHomeCases(threatCases, context), context.now) : []

/** The verbs that watch a reported page until it's down. */
export function watchCommands(deps: WatchDeps): VerbDeclaration[] {
  return [
    {
      line: '/threat watch',
      slots: ONE_EVENT,
      description:
        'Watch a threat event’s page: creates a health check, and asks you whether it’s down when the check can’t reach it',
      needs: 'operator',
      isAct: true,
      flags: flagSpecs(CUSTOMER_FIELDS),
      run: (context, { words, flags }) =>
        watchUntilDown(deps, context, {
          eventId: parseId('watch', words),
          typedCustomer: readFields(CUSTOMER_FIELDS, flags).customer,
        }),
    },
    {
      line: '/threat unwatch',
      slots: ONE_EVENT,
      description: 'Stop watching a threat event’s page; the health check isn’t deleted',
      needs: 'operator',
      isAct: true,
      run: (context, { words }) => stopWatching(deps, context, parseId('unwatch', words)),
    },
  ]
}
