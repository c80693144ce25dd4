import { FieldErrors, UserError } from '@signalman/runtime'
import { section, textInput } from '@signalman/slack'
import { form } from '../../../../bot/forms/form.ts'
import { buildInputs, readWindow } from '../../../../bot/typed/field-window.ts'
import { refuseIfOutdated, type ShownSetting } from '../../../../bot/windows/window-states.ts'
import { BadDate } from '../../../../domain/dates/bad-date.ts'
import type { WatchStore } from '../../rows/watching.ts'
import { MAINTENANCE_EFFECT } from '../../views/silences.ts'
import { formatSubject } from '../../views/words.ts'
import { MAINTENANCE_FIELDS, type MaintenanceOptions, toMaintenanceOptions } from '../parse/maintenance.ts'
import { parseSubject } from '../parse/subject.ts'
import { MAINTENANCE_OVER, saveMaintenance } from '../plan-maintenance.ts'

/** The form for planning or changing maintenance. */
export const maintenanceForm = form({
  id: 'watching.maintenance',
  title: 'Maintenance',
  button: 'Save',
  verb: '/hc maintenance',
  needs: 'operator',
  workingText: 'Saving the maintenance window…',
  showsOteLabel: true,
  content(
    _,
    subjectText: string,
    options: MaintenanceOptions,
    changed: { planId: string; timeZone: string } | undefined,
  ) {
    const { isEverywhere: _input, ...inputs } = MAINTENANCE_FIELDS
    const { isEverywhere: _value, ...values } = options
    return {
      formState: { planId: changed?.planId ?? '', shown: { subjectText, options } },
      blocks: [
        section(`${MAINTENANCE_EFFECT} Times are in ${changed ? changed.timeZone : 'your own time zone'}.`),
        textInput('what', 'Health checks', {
          initial: subjectText,
          max: 200,
          hint: 'A name, a pattern such as shop*, a UUID, or all.',
        }),
        // A saved plan can't switch between one channel and every channel, because other people would be notified.
        changed
          ? buildInputs<Omit<MaintenanceOptions, 'isEverywhere'>>(inputs, values)
          : buildInputs(MAINTENANCE_FIELDS, options),
      ],
    }
  },
  read: (answers) => ({
    subjectText: answers.text('what') ?? '',
    options: readWindow(MAINTENANCE_FIELDS, answers).values,
  }),
  async submit(
    context,
    { subjectText, options },
    { planId, shown },
    { watching }: { watching: Pick<WatchStore, 'silences'> },
  ) {
    const subject = parseSubject(subjectText)
    if (!planId) return showErrorsAtFields(() => saveMaintenance(watching, context, subject, options))
    const window = await watching.silences.find(context.workspaceId, planId)
    if (!window) throw new UserError(MAINTENANCE_OVER)
    // Remembered, because a retry after a crash would find the change already saved and refuse it.
    await context.remember('is-newest', async () => {
      const current = { subjectText: formatSubject(window.subject), options: toMaintenanceOptions(window) }
      refuseIfOutdated(shown, current, { toSettings: describeSaved, line: `/hc maintenance-edit ${planId}` })
      return true
    })
    return showErrorsAtFields(() => saveMaintenance(watching, context, subject, options, window))
  },
})

/** Describes the saved values for the message that says someone else changed them. */
const describeSaved = ({
  subjectText,
  options,
}: {
  subjectText: string
  options: MaintenanceOptions
}): ShownSetting[] => [
  [`Health checks: ${subjectText}.`, subjectText],
  [
    `From ${options.from}, for ${options.for}, ${options.every ? `every ${options.every}` : 'once'}.`,
    [options.from, options.for, options.every],
  ],
  [`Why: ${options.because || 'no reason given'}.`, options.because],
]

/** Runs `work`, and shows errors about times at the inputs that caused them. */
async function showErrorsAtFields<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BadDate) throw new FieldErrors({ from: error.message })
    if (!(error instanceof UserError) || error.constructor !== UserError) throw error
    if (/--for|^Maintenance .*lasts/.test(error.message)) throw new FieldErrors({ for: error.message })
    if (/--from|passed|within a year/.test(error.message)) throw new FieldErrors({ from: error.message })
    throw error
  }
}
