import { FieldErrors } from '@signalman/runtime'
import { type Answers, section, selectInput } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { form } from '../../../bot/forms/form.ts'
import { buildInputs, keepUnchanged, readWindow } from '../../../bot/typed/field-window.ts'
import { BULK_ACTIONS, type BulkAction, type BulkRequest, CHANGE_FIELDS, FILTER_FIELDS } from './parse.ts'
import type { PlanDeps } from './plan-bulk.ts'
import { previewBulk } from './preview.ts'

const LABELS: Readonly<Record<BulkAction, string>> = {
  edit: 'Change their settings',
  recipients: 'Add or remove recipients',
  clone: 'Copy them',
  delete: 'Delete them',
}

const buildBlocks = ({ action, filter, changes }: BulkRequest): KnownBlock[] => [
  section('You’ll see a preview first. Nothing changes until you confirm it.'),
  ...buildInputs(FILTER_FIELDS, filter),
  selectInput(
    'what',
    'What to do',
    BULK_ACTIONS.map((value) => ({ label: LABELS[value], value, chosen: value === action })),
    { dispatch: true },
  ),
  ...buildInputs(CHANGE_FIELDS[action], changes),
]

function readBulk(answers: Answers) {
  const action = BULK_ACTIONS.find((each) => each === answers.choice('what')) ?? 'edit'
  return {
    action,
    filter: readWindow(FILTER_FIELDS, answers),
    changes: readWindow(CHANGE_FIELDS[action], answers),
  }
}

/**
 * The form that asks which health checks to change, and how. Submitting it shows a preview. A field that wasn't edited keeps
 * exactly the value it was opened with.
 */
export const bulkForm = form({
  id: 'health-checks.bulk',
  title: 'Bulk change',
  button: 'Preview',
  verb: '/hc bulk',
  needs: 'operator',
  workingText: 'Finding the matching health checks…',
  showsOteLabel: true,
  content: (_, formState: BulkRequest) => ({ formState, blocks: buildBlocks(formState) }),
  read(answers) {
    const filled = readBulk(answers)
    const { action, changes } = filled
    if (action === 'edit' && Object.keys(changes.values).length === 0)
      throw new FieldErrors({ frequency: 'Fill in at least one of these settings.' })
    if (action === 'recipients' && !changes.values.add && !changes.values.remove)
      throw new FieldErrors({ add: 'Enter an address to add or remove.' })
    return filled
  },
  submit: (context, { action, filter, changes }, shown, deps: PlanDeps) =>
    previewBulk(deps, context, {
      action,
      filter: keepUnchanged(FILTER_FIELDS, filter, shown.filter),
      changes: keepUnchanged(CHANGE_FIELDS[action], changes, shown.changes),
    }),
  updateBlocks: (answers, shown) => buildBlocks(keepTyped(answers, shown)),
})

/**
 * Keeps typed values when the window is redrawn for another action. If one of them can't be parsed, resets all inputs to their
 * initial values.
 */
function keepTyped(answers: Answers, shown: BulkRequest): BulkRequest {
  try {
    const { action, filter, changes } = readBulk(answers)
    return { action, filter: filter.values, changes: { ...shown.changes, ...changes.values } }
  } catch {
    // Reads only the chosen action, because another field is invalid.
    return { ...shown, action: readBulk({ ...answers, has: (field) => field === 'what' }).action }
  }
}
