import { FieldErrors, UserError } from '@signalman/runtime'
import { section, textInput } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import { buildInputs, readWindow } from '../../../bot/typed/field-window.ts'
import type { WatchStore } from '../rows/watching.ts'
import { MAINTENANCE_EFFECT } from '../views/silences.ts'
import { planMaintenance } from './save-silence.ts'
import { hasSubject, parseSubject } from './subject.ts'
import {
  MAINTENANCE_FIELDS,
  type MaintenanceOptions,
  parseMaintenanceStart,
  parseMaintenanceTimes,
} from './times.ts'

export const maintenanceForm = form({
  id: 'watching.maintenance',
  title: 'Maintenance',
  button: 'Save',
  verb: '/hc maintenance',
  needs: 'operator',
  workingText: 'Saving the maintenance window…',
  showsOteLabel: true,
  content: (_, subjectText: string, options: MaintenanceOptions, channel: string | undefined) => ({
    formState: { channel },
    blocks: [
      section(`${MAINTENANCE_EFFECT} Times are in your own time zone.`),
      textInput('what', 'Health checks', {
        initial: subjectText,
        max: 200,
        hint: 'A name, a pattern such as shop*, a UUID, or all.',
      }),
      ...buildInputs(MAINTENANCE_FIELDS, options),
    ],
  }),
  read: (answers) => ({
    subjectText: answers.text('what') ?? '',
    options: readWindow(MAINTENANCE_FIELDS, answers).values,
  }),
  async submit(
    context,
    { subjectText, options },
    { channel },
    { watching }: { watching: Pick<WatchStore, 'watches' | 'history' | 'within'> },
  ) {
    const { timeZone = 'UTC' } = context.actor
    const subject = parseSubject(subjectText)
    if (!hasSubject(subject))
      throw new FieldErrors({ what: 'Type a name, a pattern such as shop*, a UUID, or all.' })
    const from = showErrorsAt('from', () => parseMaintenanceStart(options, context.begunAt, timeZone))
    return planMaintenance(watching, context, {
      ...{ subject, options, isConfirmed: false, channel: options.isEverywhere ? undefined : channel },
      times: showErrorsAt('for', () => parseMaintenanceTimes(options, from, timeZone)),
    })
  },
})

function showErrorsAt<T>(field: keyof MaintenanceOptions, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof UserError ? new FieldErrors({ [field]: error.message }) : error
  }
}
