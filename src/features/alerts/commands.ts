import { UserError } from '@signalman/runtime'
import type { Arguments } from '../../bot/grammar/read-words.ts'
import { id, ONE_CHECK } from '../../bot/grammar/vocabulary.ts'
import type { Requester, ServiceAccess } from '../../bot/routes/command-context.ts'
import type { Modal, VerbDeclaration } from '../../bot/routes/routes.ts'
import { flagSpecs, PAGE_FIELDS, readFields } from '../../bot/typed/fields.ts'
import { cmd } from '../../domain/command-names.ts'
import type { Environment } from '../../domain/environment.ts'
import { findCheck, findCheckId } from '../../domain/find-check.ts'
import { quoted } from '../../domain/quoting.ts'
import type { Alert } from '../../service/alerts.ts'
import type { HealthCheck } from '../../service/health-checks.ts'
import { findAlert } from './find-alert.ts'
import { addForm, editForm, fitsField, removeForm } from './forms.ts'
import { alertsView, recipientCount } from './views.ts'

const listAlerts: VerbDeclaration = {
  line: '/hc alerts',
  parameters: ONE_CHECK,
  description: 'Show and change the alert recipients of a health check',
  needs: 'viewer',
  flags: flagSpecs(PAGE_FIELDS),
  async run(context, { flags, ...typed }) {
    const { page = 1 } = readFields(PAGE_FIELDS, flags)
    const viewOptions = { page, environment: context.environment, now: context.now }
    const uuid = await findCheckId(context, typed, { reads: true })
    const api = await context.api()
    const [check, alerts] = await Promise.all([api.healthChecks.get(uuid), api.alerts.list(uuid)])
    return alertsView(check, alerts, viewOptions)
  },
}

const addAlert: VerbDeclaration = {
  line: '/hc alert-add',
  parameters: ONE_CHECK,
  description: 'Add an alert to a health check',
  needs: 'operator',
  opensModal: true,
  hidden: true,
  async run(context, typed) {
    const check = await findCheck(context, typed)
    return addForm.open(context.environment, check, (await context.api()).account)
  },
}

/** A hidden verb, for a button that opens a window about one alert. */
const alertVerb = (
  verb: string,
  description: string,
  open: (environment: Environment, check: HealthCheck, alert: Alert, account: string) => Modal,
): VerbDeclaration => ({
  line: `/hc ${verb}`,
  parameters: [...ONE_CHECK, id('alert', 'ALERT-ID')],
  description,
  needs: 'operator',
  opensModal: true,
  hidden: true,
  async run(context, args) {
    const { check, alert } = await findCheckAndAlert(context, verb, args)
    return open(context.environment, check, alert, (await context.api()).account)
  },
})

const editAlert = alertVerb(
  'alert-edit',
  'Edit the recipients of an alert',
  (environment, check, alert, account) => {
    if (fitsField(alert.recipients)) return editForm.open(environment, check, alert, account)
    throw new UserError(
      `This alert has ${recipientCount(alert.recipients.length)}, which can’t be edited as one list. To add or remove an address, type ${cmd('/hc recipients')} ADDRESS NAME --add or --remove.`,
      [{ label: 'Export them', line: `/hc export ${quoted(check.name)}` }],
    )
  },
)
const removeAlert = alertVerb('alert-remove', 'Remove an alert, after a confirmation', removeForm.open)

/** Help lists the verbs in this order. */
export const alertCommands = [listAlerts, addAlert, editAlert, removeAlert]

async function findCheckAndAlert(
  context: Pick<Requester, 'environment'> & ServiceAccess,
  verb: string,
  typed: Pick<Arguments, 'values' | 'lineFor'>,
): Promise<{ check: HealthCheck; alert: Alert }> {
  const { alert: alertId = '' } = typed.values
  if (!/^-?\d{1,40}$/.test(alertId))
    throw new UserError(
      `Which alert? Type ${cmd('/hc')} ${verb}, then a health check and the ID of one of its alerts.`,
    )
  const uuid = await findCheckId(context, typed)
  const api = await context.api()
  const [check, alert] = await Promise.all([api.healthChecks.get(uuid), findAlert(api, uuid, alertId)])
  return { check, alert }
}
