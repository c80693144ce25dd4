import { FieldErrors } from '@signalman/runtime'
import { type Answers, section, selectInput } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { form } from '../../../bot/forms/form.ts'
import { buildInputs, readWindow, unlessTouched } from '../../../bot/typed/window-of-fields.ts'
import {
  BULK_ACTIONS,
  type BulkAction,
  type BulkRequest,
  CHANGES,
  FILTER_FIELDS,
  pickSettings,
} from './parse.ts'
import type { PlanParts } from './plan-many.ts'
import { previewMany } from './preview.ts'

const LABELS: Readonly<Record<BulkAction, string>> = {
  edit: 'Change their settings',
  recipients: 'Add or remove recipients',
  clone: 'Copy them',
  delete: 'Delete them',
}

const buildBlocks = ({ what, meant, to }: BulkRequest): KnownBlock[] => [
  section('Sending this changes nothing yet: you see a preview first.'),
  ...buildInputs(FILTER_FIELDS, meant),
  selectInput(
    'what',
    'What to do',
    BULK_ACTIONS.map((value) => ({ label: LABELS[value], value, chosen: value === what })),
    { dispatch: true },
  ),
  ...buildInputs(CHANGES[what], to),
]

function readBulk(answers: Answers) {
  const what = BULK_ACTIONS.find((action) => action === answers.choice('what')) ?? 'edit'
  return { what, meant: readWindow(FILTER_FIELDS, answers), to: readWindow(CHANGES[what], answers) }
}

/**
 * Asks which health checks to change and how. Submitting shows a preview. Submitted untouched, it makes the same request that
 * opened it.
 */
export const bulkForm = form({
  id: 'health-checks.bulk',
  title: 'Many health checks',
  button: 'Show what it does',
  verb: '/hc bulk',
  needs: 'operator',
  working: 'Looking which health checks that are…',
  isMarked: true,
  asks: (_, about: BulkRequest) => ({ about, blocks: buildBlocks(about) }),
  read(answers) {
    const filled = readBulk(answers)
    const { what, to } = filled
    if (what === 'edit' && Object.keys(pickSettings(to.values)).length === 0)
      throw new FieldErrors({ frequency: 'Say what is to be changed: fill in at least one of these.' })
    if (what === 'recipients' && !to.values.add && !to.values.remove)
      throw new FieldErrors({ add: 'Say who is added or taken out.' })
    return filled
  },
  submit: (context, { what, meant, to }, shown, parts: PlanParts) =>
    previewMany(parts, context, {
      what,
      meant: unlessTouched(FILTER_FIELDS, meant, shown.meant),
      to: unlessTouched(CHANGES[what], to, shown.to),
    }),
  follow: (answers, shown) => buildBlocks(keepTyped(answers, shown)),
})

/**
 * Keeps what was typed when the window is redrawn for another action. Inputs that reappear have their initial values again; input
 * that can't be parsed is dropped.
 */
function keepTyped(answers: Answers, shown: BulkRequest): BulkRequest {
  try {
    const { what, meant, to } = readBulk(answers)
    return { what, meant: meant.values, to: { ...shown.to, ...to.values } }
  } catch {
    return { ...shown, what: readBulk({ ...answers, has: (field) => field === 'what' }).what }
  }
}
