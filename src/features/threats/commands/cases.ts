import { Question, UserError } from '@signalman/runtime'
import { oneLine } from '@signalman/slack'
import { choice, parameter } from '../../../bot/grammar/parameters.ts'
import type { Arguments } from '../../../bot/grammar/read-words.ts'
import { MINE_WORDS } from '../../../bot/grammar/vocabulary.ts'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { flagSpecs, PAGE_FIELDS, readFields } from '../../../bot/typed/fields.ts'
import { findPage } from '../../../bot/views/list-page.ts'
import { splitWords } from '../../../domain/quoting.ts'
import { formatCount, formatList } from '../../../domain/wording.ts'
import { readShownCase, takeStep } from '../cases/steps.ts'
import type { ThreatDependencies } from '../dependencies.ts'
import {
  CLOSE_FIELDS,
  ONE_EVENT,
  QUEUE_FIELDS,
  requireId,
  requireOnlyIds,
  TAKE_OVER_FIELDS,
} from '../parse.ts'
import { defang } from '../rules/defang.ts'
import { findIds } from '../rules/ids.ts'
import { ENDS } from '../rules/threat-case.ts'
import { caseWindow, closeLine, END_LABELS, MAX_NOTE_LENGTH } from '../views/case.ts'
import { PAGE_SIZE, queueView } from '../views/case-queue.ts'

/** The verbs that take steps in a case and show cases. */
export function caseCommands(deps: ThreatDependencies): VerbDeclaration[] {
  const { threatCases } = deps
  const changes = { needs: 'operator', isAct: true } as const
  return [
    {
      line: '/threat take',
      parameters: ONE_EVENT,
      description: 'Take a threat event, so that everyone sees you’re on it; also reopens a closed case',
      ...changes,
      flags: flagSpecs(TAKE_OVER_FIELDS),
      run: async (context, { words, flags }) =>
        takeStep(deps, context, {
          eventId: requireId('take', words),
          kind: 'take',
          verb: '/threat take',
          seenVersion: readFields(TAKE_OVER_FIELDS, flags).over,
        }),
    },
    {
      line: '/threat note',
      parameters: [...ONE_EVENT, parameter('text', 'text', { usage: 'TEXT', isProse: true })],
      description: 'Add a note to a case, such as where you sent the takedown request, or a ticket number',
      ...changes,
      run: async (context, { values }) =>
        takeStep(deps, context, {
          eventId: requireIdBeforeText('note', values),
          kind: 'note',
          verb: '/threat note',
          text: parseNote(values.text),
        }),
    },
    {
      line: '/threat close',
      parameters: [...ONE_EVENT, parameter('text', 'text', { usage: 'TEXT', isProse: true })],
      description: 'Close a case: the page was taken down, it was a false positive, or another reason',
      ...changes,
      flags: flagSpecs(CLOSE_FIELDS),
      async run(context, { values, flags }) {
        const eventId = requireIdBeforeText('close', values)
        const { as, over } = readFields(CLOSE_FIELDS, flags)
        const text = values.text ? parseNote(values.text) : undefined
        if (!as) throw askHowItEnded(eventId, text)
        return takeStep(deps, context, {
          eventId,
          kind: as,
          verb: '/threat close',
          text,
          seenVersion: over,
        })
      },
    },
    {
      line: '/threat case',
      hidden: true,
      label: 'open the case of',
      parameters: ONE_EVENT,
      description: 'Show who has a case, what was done and when, and the next steps',
      needs: 'viewer',
      opensModal: 'to-read',
      flags: flagSpecs(PAGE_FIELDS),
      run: async (context, { words, flags }) => {
        const shown = await readShownCase(deps, context, requireId('case', words))
        return caseWindow({ ...shown, page: readFields(PAGE_FIELDS, flags).page })
      },
    },
    {
      line: '/threat queue',
      parameters: [choice('mine', MINE_WORDS, { flag: 'mine' })],
      description: 'List open cases, most severe and oldest first',
      needs: 'viewer',
      example: 'queue --mine',
      flags: flagSpecs(QUEUE_FIELDS),
      async run({ workspaceId, environment, userId, now }, { flags }) {
        const filters = readFields(QUEUE_FIELDS, flags)
        const filter = { workspaceId, environment, holderId: filters.mine ? userId : undefined }
        const page = findPage(await threatCases.count(filter), filters.page ?? 1, PAGE_SIZE)
        const cases = await threatCases.list({ ...filter, limit: PAGE_SIZE, offset: page.start })
        const open = page.total || (await threatCases.count({ workspaceId, environment }))
        return queueView({ cases, open, page, filters, environment, now })
      },
    },
  ]
}

/** The ID before a free text. Throws UserError for several IDs, of which all but the first would be text. */
function requireIdBeforeText(verb: string, { id = '', text = '' }: Arguments['values']): string {
  const [first] = splitWords(text)
  const more = findIds(first ? [first.text] : []).ids
  if (more.length > 0) requireOnlyIds(verb, { ids: [id, ...more], otherWords: [] }, 1)
  return requireId(verb, id === '' ? [] : [id])
}

/** Asks how a case ended, with a button for each end. An end behind the text was meant for the question. */
function askHowItEnded(eventId: string, typed = ''): Question {
  const text = typed.replace(/(?:^|\s+)--as(?:[\s=]+\S+)?$/, '')
  const isEnd = ENDS.some((end) => end === text.toLowerCase())
  return new Question(
    `How did it end? Press a button, or type ${formatList(ENDS, ENDS.length, (end) => `--as ${end}`)} before the text.`,
    ENDS.map((end) => ({
      label: END_LABELS[end],
      line: closeLine(eventId, { as: end }, isEnd ? '' : text),
    })),
  )
}

/** Throws UserError if the text is missing, or longer than a case shows. */
function parseNote(text = ''): string {
  const plain = text.trim()
  if (plain === '') throw new UserError('What’s the note? Type it after the ID.')
  const { length } = defang(oneLine(plain))
  if (length <= MAX_NOTE_LENGTH) return plain
  throw new UserError(
    `A note can have up to ${formatCount(MAX_NOTE_LENGTH)} characters, with addresses as they’re shown: exa[.]mple. This one has ${formatCount(length)}, so it wasn’t saved.`,
  )
}
