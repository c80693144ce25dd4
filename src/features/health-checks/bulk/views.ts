import { commandButton } from '../../../blocks/command-buttons.ts'
import type { Message } from '../../../blocks/message.ts'
import { clip, oneLine } from '../../../blocks/text.ts'
import { JOBS_KEPT_IN_WORDS } from '../../../bot/retention/kept-for.ts'
import { badgeOf, type Environment } from '../../../domain/environment.ts'
import { grouped } from '../../../domain/wording.ts'
import { checks, saying } from '../changes/views.ts'
import { actionWords, type BulkAction, type BulkRequest, bulkLine, whichWords } from './parse.ts'
import type { BulkPlan } from './plan-bulk.ts'

const SHOWN = 10
const SHORT = 180

const DOES: Readonly<Record<BulkAction, string>> = {
  edit: 'would be changed',
  delete: 'would be deleted, with their alerts',
  clone: 'would be copied, with their alerts',
  recipients: 'would mail other people',
}
const BUTTONS: Readonly<Record<BulkAction, string>> = {
  edit: 'Change',
  delete: 'Delete',
  clone: 'Copy',
  recipients: 'Change',
}

/** What it is called while it runs and in the audit log. */
export const titleOf = (request: BulkRequest): string =>
  clip(oneLine(`${actionWords(request)} ${whichWords(request)}`), 300)

/** What would be done, before anything is: counts, the first of them, and the button that does it. */
export function previewView(
  request: BulkRequest,
  plan: BulkPlan,
  environment: Environment,
  note?: string,
): Message {
  const { changes, meant, same, not } = plan
  const more = changes.length - SHOWN
  const apply = `/hc bulk-apply ${bulkLine(request)} --seen ${plan.digest}`
  const window = `/hc bulk ${bulkLine(request)}`
  return saying(
    [
      note,
      `${titleOf(request)}${badgeOf(environment)}. Nothing was changed yet.`,
      `${checks(meant)} ${meant === 1 ? 'matches' : 'match'}; ${grouped(changes.length)} ${DOES[request.what]}.`,
      same > 0 && `${grouped(same)} ${same === 1 ? 'is' : 'are'} so already.`,
      ...changes.slice(0, SHOWN).map(({ says }) => `• ${clip(oneLine(says), SHORT)}`),
      more > 0 && `And ${grouped(more)} more.`,
      not.length > 0 && `${grouped(not.length)} cannot be:`,
      ...not.slice(0, SHOWN).map(({ name, says }) => `${clip(oneLine(name), 80)}: ${says}`),
    ],
    ...(changes.length > 0 ? [applyButton(request.what, changes.length, apply)] : []),
    commandButton('Change what is done', window),
  )
}

function applyButton(what: BulkAction, count: number, line: string) {
  const label = `${BUTTONS[what]} ${grouped(count)}`
  if (what !== 'delete') return commandButton(label, line, { style: 'primary', inPlace: true })
  return commandButton(label, line, {
    style: 'danger',
    inPlace: true,
    confirm: {
      title: `Delete ${checks(count)}?`,
      text: `They are no longer checked, and nobody is told when their targets go down. It can be undone for ${JOBS_KEPT_IN_WORDS}.`,
      confirm: 'Delete',
      danger: true,
    },
  })
}
