import { UserError } from '@signalman/runtime'
import type { Arguments } from '../../bot/grammar/read-words.ts'
import { id, ONE_CHECK } from '../../bot/grammar/vocabulary.ts'
import type { Requester, ServiceAccess, ToldLines } from '../../bot/routes/command-context.ts'
import type { Modal, VerbDeclaration } from '../../bot/routes/routes.ts'
import { flagSpecs, PAGE_FIELDS, readFields } from '../../bot/typed/fields.ts'
import type { Environment } from '../../domain/environment.ts'
import { findCheckId } from '../../domain/find-check.ts'
import { quoted } from '../../domain/quoting.ts'
import { findAlertsFault } from '../../domain/recipients.ts'
import { writeCommand } from '../../domain/write-command.ts'
import type { Alert } from '../../service/alerts.ts'
import { addForm, editForm, fitsField, removeForm, type SeenAlerts } from './forms.ts'
import { alertsView, recipientCount } from './views.ts'

const listAlerts: VerbDeclaration = {
  line: '/hc alerts',
  parameters: ONE_CHECK,
  description: 'Show and change who gets email about a health check: its alert recipients',
  needs: 'viewer',
  guests: true,
  flags: flagSpecs(PAGE_FIELDS),
  async run(context, { flags, ...typed }) {
    const { page = 1 } = readFields(PAGE_FIELDS, flags)
    const uuid = await findCheckId(context, typed, { reads: true })
    const api = await context.api()
    const [check, alerts] = await Promise.all([api.healthChecks.get(uuid), api.alerts.list(uuid)])
    const subject = check.name ? { name: check.name } : { words: [check.uuid] }
    return alertsView(check, alerts, {
      ...{ page, environment: context.environment, now: context.now },
      watchLine: await context.tell('/hc watch', subject),
    })
  },
}

/** Reads the alerts that a window is to show. Throws UserError if a change could lose some of them. */
async function findAlerts(
  context: ServiceAccess & Pick<Requester, 'environment'>,
  typed: Typed,
): Promise<SeenAlerts> {
  const uuid = await findCheckId(context, typed)
  const api = await context.api()
  const [check, alerts] = await Promise.all([api.healthChecks.get(uuid), api.alerts.list(uuid)])
  const fault = findAlertsFault(alerts)
  if (fault !== undefined) throw new UserError(fault)
  return { account: api.account, check, alerts }
}
type Typed = Pick<Arguments, 'values' | 'lineFor'>

const addAlert: VerbDeclaration = {
  line: '/hc alert-add',
  parameters: ONE_CHECK,
  description: 'Add an alert to a health check',
  needs: 'operator',
  opensModal: true,
  hidden: true,
  label: 'add',
  run: async (context, typed) => addForm.open(context.environment, await findAlerts(context, typed)),
}

/** A hidden verb, for a button that opens a window about one alert. */
const alertVerb = (
  verb: string,
  description: string,
  open: (
    environment: Environment,
    seen: SeenAlerts & { alert: Alert },
    context: ToldLines,
  ) => Modal | Promise<Modal>,
): VerbDeclaration => ({
  line: `/hc ${verb}`,
  parameters: [...ONE_CHECK, id('alert', 'ALERT-ID')],
  description,
  needs: 'operator',
  opensModal: true,
  hidden: true,
  label: verb.replace('alert-', ''),
  async run(context, typed) {
    const { alert: alertId = '' } = typed.values
    if (!/^-?\d{1,40}$/.test(alertId))
      throw new UserError(
        `Which alert? Type:\n\`${await context.tell(`/hc ${verb}`, { words: ['NAME', 'ALERT-ID'] })}\``,
      )
    const seen = await findAlerts(context, typed)
    const alert = seen.alerts.find(({ id }) => id === alertId)
    if (!alert)
      throw new UserError(`This health check has no alert ${alertId}. It may have been removed.`, [
        { label: 'Alerts', line: `/hc alerts ${quoted(seen.check.uuid)}` },
      ])
    return open(context.environment, { ...seen, alert }, context)
  },
})

const editAlert = alertVerb(
  'alert-edit',
  'Edit the recipients of an alert',
  async (environment, seen, context) => {
    const { recipients } = seen.alert
    if (fitsField(recipients)) return editForm.open(environment, seen)
    throw new UserError(
      `This alert has ${recipientCount(recipients.length)}, which can’t be edited as one list. To add an address, or to remove one with --remove, type:\n\`${await context.tell('/hc recipients', { words: ['ADDRESS', 'NAME'], flags: { add: true } })}\``,
      [{ label: 'Export them', line: writeCommand('/hc export', { name: seen.check.name }) }],
    )
  },
)
const removeAlert = alertVerb('alert-remove', 'Remove an alert, after a confirmation', removeForm.open)

export const alertCommands = [listAlerts, addAlert, editAlert, removeAlert]
